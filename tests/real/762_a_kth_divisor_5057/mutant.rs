// Mistake: tries all numbers up to n, which takes too long for large n
use std::io;

fn main() {
    let mut line = String::new();
    io::stdin().read_line(&mut line).unwrap();
    let numbers: Vec<u64> = line
        .split_ascii_whitespace()
        .map(|t| t.parse().unwrap())
        .collect();
    let (n, k) = (numbers[0], numbers[1] as usize);
    let mut divisors = (1..=n).filter(|d| n % d == 0);
    match divisors.nth(k - 1) {
        Some(divisor) => println!("{divisor}"),
        None => println!("-1"),
    }
}
