// Mistake: no thought of an opening bracket with nothing to close it
use std::io;

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
    let mut line = String::new();
    io::stdin().read_line(&mut line).unwrap();
    let brackets = line.trim().as_bytes();
    let n = brackets.len();
    let mut factorial = vec![1];
    for i in 1..=n {
        factorial.push(factorial[i - 1] * i as u64 % MODULUS);
    }
    let choose = |n: usize, k: usize| {
        factorial[n] * power(factorial[k] * factorial[n - k] % MODULUS, MODULUS - 2) % MODULUS
    };
    let mut opened = 0;
    let mut closing = brackets.iter().filter(|&&c| c == b')').count();
    let mut answer = 0;
    for &c in brackets {
        if c == b')' {
            closing -= 1;
        } else {
            answer += choose(opened + closing, opened + 1);
            opened += 1;
        }
    }
    println!("{}", answer % MODULUS);
}
