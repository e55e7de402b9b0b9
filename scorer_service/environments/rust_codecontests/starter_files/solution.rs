// Reads standard input and writes standard output, buffered. It solves nothing yet.
use std::io::{self, Read, Write};

fn main() -> io::Result<()> {
    let mut input = String::new();
    io::stdin().lock().read_to_string(&mut input)?;
    let mut output = io::BufWriter::new(io::stdout().lock());
    writeln!(output)?;
    output.flush()
}
