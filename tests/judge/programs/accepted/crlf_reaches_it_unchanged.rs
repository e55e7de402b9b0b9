//= why = "input is given as it is, and nothing is appended (DMOJ#228, Piston)"
//= stdin = "a\r\nb"
use std::io::Read;

fn main() {
    let mut input = Vec::new();
    std::io::stdin().read_to_end(&mut input).unwrap();
    assert_eq!(input, b"a\r\nb");
    println!("ok");
}
