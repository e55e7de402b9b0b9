// The k-th smallest divisor: small ones by trial, large ones as their partners.
use std::io;

fn main() {
    let mut line = String::new();
    io::stdin().read_line(&mut line).unwrap();
    let numbers: Vec<u64> = line
        .split_ascii_whitespace()
        .map(|t| t.parse().unwrap())
        .collect();
    let (n, k) = (numbers[0], numbers[1] as usize);
    let mut divisors: Vec<u64> = (1..)
        .take_while(|d| d * d <= n)
        .filter(|d| n % d == 0)
        .collect();
    for i in (0..divisors.len()).rev() {
        let partner = n / divisors[i];
        if partner != divisors[i] {
            divisors.push(partner);
        }
    }
    match divisors.get(k - 1) {
        Some(divisor) => println!("{divisor}"),
        None => println!("-1"),
    }
}
