// Keeps slices of the input in one row-major list; a repeated cell takes the slice one row up, which is
// already filled in. The output goes through one buffer.
use std::io::{self, BufWriter, Read, Write};

fn main() -> io::Result<()> {
    let mut input = String::new();
    io::stdin().read_to_string(&mut input)?;
    let mut words = input.split_ascii_whitespace();
    let mut next_number = || {
        words
            .next()
            .and_then(|word| word.parse::<usize>().ok())
            .expect("a number")
    };
    let (rows, columns) = (next_number(), next_number());
    let mut cells: Vec<&str> = Vec::with_capacity(rows * columns);
    for word in words {
        cells.push(if word == "." {
            cells[cells.len() - columns]
        } else {
            word
        });
    }
    let mut output = BufWriter::with_capacity(1 << 16, io::stdout().lock());
    for column in 0..columns {
        for row in 0..rows {
            let separator: &[u8] = if row == 0 { b"" } else { b" " };
            output.write_all(separator)?;
            output.write_all(cells[row * columns + column].as_bytes())?;
        }
        output.write_all(b"\n")?;
    }
    output.flush()
}
