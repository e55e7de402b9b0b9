// Mistake: divides after the product was reduced, as if that were ordinary division
use std::io;

const MODULUS: u64 = 1_000_000_007;

fn main() {
    let mut line = String::new();
    io::stdin().read_line(&mut line).unwrap();
    let n: u64 = line.trim().parse().unwrap();
    let mut inverse = vec![0, 1];
    let mut states = n + 2;
    for i in 2..=n + 1 {
        inverse.push((MODULUS - MODULUS / i) * inverse[(MODULUS % i) as usize] % MODULUS);
        states = states * (n + 1 + i) / i % MODULUS;
    }
    println!("{}", (states + MODULUS - 1) % MODULUS);
}
