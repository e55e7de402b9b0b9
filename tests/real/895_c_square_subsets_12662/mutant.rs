// Mistake: the list of primes stops too early
use std::io::{self, Read};

const MODULUS: u64 = 1_000_000_007;
const PRIMES: [u32; 15] = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47];

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let numbers: Vec<u32> = text
        .split_ascii_whitespace()
        .skip(1)
        .map(|t| t.parse().unwrap())
        .collect();
    let mut basis = [0u32; PRIMES.len()];
    let mut squares = 1;
    for mut a in numbers {
        let mut parity = 0u32;
        for (bit, &p) in PRIMES.iter().enumerate() {
            while a % p == 0 {
                a /= p;
                parity ^= 1 << bit;
            }
        }
        for (bit, vector) in basis.iter_mut().enumerate() {
            if parity >> bit & 1 == 1 {
                if *vector == 0 {
                    *vector = parity;
                    break;
                }
                parity ^= *vector;
            }
        }
        if parity == 0 {
            // Depends on the numbers before: every subset of the others can be completed.
            squares = squares * 2 % MODULUS;
        }
    }
    println!("{}", (squares + MODULUS - 1) % MODULUS);
}
