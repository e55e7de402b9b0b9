//= why = "standard error is drained and dropped, not judged"
use std::io::Write;

fn main() {
    let line = [b'e'; 1 << 16];
    for _ in 0..160 {
        std::io::stderr().write_all(&line).unwrap();
    }
    println!("ok");
}
