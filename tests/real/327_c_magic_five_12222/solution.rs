// Ways to leave a number divisible by 5 of k copies of a string: a geometric series over the copies.
use std::io::{self, Read};

const MODULUS: u64 = 1_000_000_007;

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
    let mut tokens = text.split_ascii_whitespace();
    let a = tokens.next().unwrap();
    let k: u64 = tokens.next().unwrap().parse().unwrap();
    let mut ways = 0;
    let mut subsets_before = 1;
    for digit in a.bytes() {
        if digit == b'0' || digit == b'5' {
            ways += subsets_before;
        }
        subsets_before = subsets_before * 2 % MODULUS;
    }
    // 1 + q + ... + q^(k - 1) with q = 2^|a|
    let q = subsets_before;
    let copies =
        (power(q, k) + MODULUS - 1) % MODULUS * power(q + MODULUS - 1, MODULUS - 2) % MODULUS;
    println!("{}", ways % MODULUS * copies % MODULUS);
}
