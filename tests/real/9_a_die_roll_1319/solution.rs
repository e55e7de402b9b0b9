// Dot's chance to roll at least the larger of two dice, as an irreducible fraction.
use std::io;

fn gcd(a: u32, b: u32) -> u32 {
    if b == 0 {
        a
    } else {
        gcd(b, a % b)
    }
}

fn main() {
    let mut line = String::new();
    io::stdin().read_line(&mut line).unwrap();
    let best: u32 = line
        .split_ascii_whitespace()
        .map(|t| t.parse().unwrap())
        .max()
        .unwrap();
    let winning = 7 - best;
    let common = gcd(winning, 6);
    println!("{}/{}", winning / common, 6 / common);
}
