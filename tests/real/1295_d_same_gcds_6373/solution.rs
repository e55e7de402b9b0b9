// Counts x below m with gcd(a + x, m) = gcd(a, m): Euler's totient of m / gcd(a, m).
use std::io::{self, Read};

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 {
        a
    } else {
        gcd(b, a % b)
    }
}

fn totient(n: u64) -> u64 {
    let mut result = n;
    let mut rest = n;
    let mut p = 2;
    while p * p <= rest {
        if rest % p == 0 {
            result -= result / p;
            while rest % p == 0 {
                rest /= p;
            }
        }
        p += 1;
    }
    if rest > 1 {
        result -= result / rest;
    }
    result
}

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let numbers: Vec<u64> = text
        .split_ascii_whitespace()
        .map(|t| t.parse().unwrap())
        .collect();
    for case in numbers[1..].chunks_exact(2).take(numbers[0] as usize) {
        println!("{}", totient(case[1] / gcd(case[0], case[1])));
    }
}
