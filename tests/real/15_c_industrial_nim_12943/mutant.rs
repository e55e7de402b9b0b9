// Mistake: leaves out the first heap of each run
use std::io::{self, Read};

// 0 ^ 1 ^ ... ^ n
fn prefix_xor(n: u64) -> u64 {
    match n % 4 {
        0 => n,
        1 => 1,
        2 => n + 1,
        _ => 0,
    }
}

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let numbers: Vec<u64> = text
        .split_ascii_whitespace()
        .map(|t| t.parse().unwrap())
        .collect();
    let nim = numbers[1..]
        .chunks_exact(2)
        .take(numbers[0] as usize)
        .fold(0, |all, run| {
            all ^ prefix_xor(run[0]) ^ prefix_xor(run[0] + run[1] - 1)
        });
    println!("{}", if nim == 0 { "bolik" } else { "tolik" });
}
