// Mistake: leaves out that a biscuit goes to one of n - 1 others
use std::io::{self, Read};

const MODULUS: u64 = 998_244_353;

fn power(mut base: u64, mut exponent: u64) -> u64 {
    let mut result = 1;
    while exponent > 0 {
        if exponent % 2 == 1 {
            result = result * base % MODULUS;
        }
        base = base * base % MODULUS;
        exponent /= 2;
    }
    result
}

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let numbers: Vec<usize> = text
        .split_ascii_whitespace()
        .map(|t| t.parse().unwrap())
        .collect();

    let biscuits = &numbers[1..=numbers[0]];
    let all: usize = biscuits.iter().sum();
    // potential[a] of a player with a biscuits: its step from a to a + 1 is
    // a (n - 1) / (all - a) times (its last step - 1); the first step is 0.
    let mut potential = vec![0, 0];
    let mut step = 0;
    for a in 1..all {
        let others = power((all - a) as u64, MODULUS - 2);
        step = (step + MODULUS - 1) % MODULUS * a as u64 % MODULUS * others % MODULUS;
        potential.push((potential[a] + step) % MODULUS);
    }
    let start = biscuits.iter().map(|&a| potential[a]).sum::<u64>() % MODULUS;
    println!("{}", (start + MODULUS - potential[all]) % MODULUS);
}
