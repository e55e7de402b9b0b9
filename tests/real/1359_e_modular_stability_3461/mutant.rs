// Mistake: the smallest element may be chosen again among its multiples
use std::io;

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
    let mut line = String::new();
    io::stdin().read_line(&mut line).unwrap();
    let numbers: Vec<usize> = line
        .split_ascii_whitespace()
        .map(|t| t.parse().unwrap())
        .collect();
    let (n, k) = (numbers[0], numbers[1]);
    let mut factorial = vec![1u64];
    for i in 1..=n {
        factorial.push(factorial[i - 1] * i as u64 % MODULUS);
    }
    let choose = |n: usize, k: usize| {
        if k > n {
            return 0;
        }
        factorial[n] * power(factorial[k] * factorial[n - k] % MODULUS, MODULUS - 2) % MODULUS
    };
    let stable: u64 = (1..=n / k).map(|least| choose(n / least, k - 1)).sum();
    println!("{}", stable % MODULUS);
}
