//= why = "10 MB of spaces after the right answer are 10 MB of output (DOMjudge)"
//= output_limit_mib = 1
use std::io::Write;

fn main() {
    println!("ok");
    let _ = std::io::stdout().write_all(&vec![b' '; 10_000_000]);
}
