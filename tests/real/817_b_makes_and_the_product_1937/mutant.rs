// Mistake: misses that all three factors may be equal
use std::io::{self, Read};

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let mut a: Vec<u64> = text
        .split_ascii_whitespace()
        .skip(1)
        .map(|t| t.parse().unwrap())
        .collect();
    a.sort_unstable();
    let third = a[2];
    let same = a.iter().filter(|&&x| x == third).count() as u64;
    let ways = if a[1] == third {
        same * (same - 1) / 2
    } else {
        same
    };
    println!("{ways}");
}
