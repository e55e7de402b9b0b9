// Mistake: the counts are updated upwards, so a number may be taken more than once
use std::collections::BTreeMap;
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
    let n: usize = tokens.next().unwrap().parse().unwrap();
    let k: usize = tokens.next().unwrap().parse().unwrap();
    let mut unlucky = 0usize;
    let mut lucky: BTreeMap<&str, u64> = BTreeMap::new();
    for token in tokens.take(n) {
        if token.bytes().all(|c| c == b'4' || c == b'7') {
            *lucky.entry(token).or_default() += 1;
        } else {
            unlucky += 1;
        }
    }
    // picks[j]: ways to take j different lucky numbers.
    let mut picks = vec![0; lucky.len() + 1];
    picks[0] = 1;
    for &times in lucky.values() {
        for j in 1..picks.len() {
            picks[j] = (picks[j] + picks[j - 1] * times) % MODULUS;
        }
    }
    // choose[j]: ways to take j unlucky numbers.
    let mut choose = vec![1];
    for j in 1..=unlucky {
        let inverse = power(j as u64, MODULUS - 2);
        choose.push(choose[j - 1] * (unlucky - j + 1) as u64 % MODULUS * inverse % MODULUS);
    }
    let mut answer = 0;
    for (j, ways) in picks.iter().enumerate().take(k + 1) {
        answer += ways * choose.get(k - j).unwrap_or(&0) % MODULUS;
    }
    println!("{}", answer % MODULUS);
}
