// Mistake: sorts the coordinates as text
use std::io::{self, Read};

const MODULUS: i64 = 1_000_000_007;

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let mut tokens: Vec<&str> = text.split_ascii_whitespace().skip(1).collect();
    tokens.sort_unstable();
    let x: Vec<i64> = tokens.iter().map(|t| t.parse().unwrap()).collect();
    let n = x.len();
    let mut power = vec![1i64];
    for i in 1..n {
        power.push(power[i - 1] * 2 % MODULUS);
    }
    let mut sum = 0i64;
    for i in 0..n {
        sum = (sum + x[i] * (power[i] - power[n - 1 - i])) % MODULUS;
    }
    println!("{}", sum.rem_euclid(MODULUS));
}
