// Fewest shifts by up to three bits from a to b.
use std::io::{self, Read};

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let numbers: Vec<u64> = text
        .split_ascii_whitespace()
        .map(|t| t.parse().unwrap())
        .collect();
    for case in numbers[1..].chunks_exact(2).take(numbers[0] as usize) {
        let (zeros_a, zeros_b) = (case[0].trailing_zeros(), case[1].trailing_zeros());
        if case[0] >> zeros_a == case[1] >> zeros_b {
            println!("{}", zeros_a.abs_diff(zeros_b).div_ceil(3));
        } else {
            println!("-1");
        }
    }
}
