// Mistake: compares with the first roll only
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
        .next()
        .unwrap();
    let winning = 7 - best;
    let common = gcd(winning, 6);
    println!("{}/{}", winning / common, 6 / common);
}
