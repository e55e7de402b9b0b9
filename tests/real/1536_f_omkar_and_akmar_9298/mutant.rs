// Mistake: the two choices of the first letter are not counted
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
    let n: usize = line.trim().parse().unwrap();
    let mut factorial = vec![1u64];
    for i in 1..=n {
        factorial.push(factorial[i - 1] * i as u64 % MODULUS);
    }
    let mut inverse = vec![power(factorial[n], MODULUS - 2); n + 1];
    for i in (0..n).rev() {
        inverse[i] = inverse[i + 1] * (i + 1) as u64 % MODULUS;
    }
    let choose = |n: usize, k: usize| {
        if k > n {
            return 0;
        }
        factorial[n] * inverse[k] % MODULUS * inverse[n - k] % MODULUS
    };
    let mut games = 0;
    for letters in (2..=n).step_by(2) {
        // Empty cells lie in gaps between letters; the gap across the start of the ring is one of them.
        let empty = n - letters;
        let mut boards = choose(letters, empty);
        if empty > 0 {
            boards += choose(letters - 1, empty - 1);
        }
        games += boards % MODULUS * factorial[letters] % MODULUS;
    }
    println!("{}", games % MODULUS);
}
