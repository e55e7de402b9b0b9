// Mistake: the last sequence's bits are carried into the next test case
use std::fmt::Write;
use std::io::{self, Read};

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let mut numbers = text
        .split_ascii_whitespace()
        .map(|t| t.parse::<u32>().unwrap());
    let mut out = String::new();
    let mut grown = 0;
    for _ in 0..numbers.next().unwrap() {
        let n = numbers.next().unwrap();
        for _ in 0..n {
            let x = numbers.next().unwrap();
            write!(out, "{} ", grown & !x).unwrap();
            grown |= x;
        }
        out.push('\n');
    }
    print!("{out}");
}
