// Arrangements with two types in one half: a knapsack over the types from which one or two are taken back.
use std::fmt::Write;
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

// Takes a type of `count` villains out of the knapsack.
fn without(ways: &[u64], count: usize) -> Vec<u64> {
    let mut rest = ways.to_vec();
    for filled in count..rest.len() {
        rest[filled] = (rest[filled] + MODULUS - rest[filled - count]) % MODULUS;
    }
    rest
}

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let mut tokens = text.split_ascii_whitespace();
    let s = tokens.next().unwrap().as_bytes();
    let queries: usize = tokens.next().unwrap().parse().unwrap();
    let half = s.len() / 2;
    let mut count = [0usize; 128];
    for &c in s {
        count[usize::from(c)] += 1;
    }
    let types: Vec<usize> = (0..128).filter(|&c| count[c] > 0).collect();
    // ways[filled]: sets of types with that many villains in all.
    let mut ways = vec![0; half + 1];
    ways[0] = 1;
    for &c in &types {
        for filled in (count[c]..=half).rev() {
            ways[filled] = (ways[filled] + ways[filled - count[c]]) % MODULUS;
        }
    }
    let factorial = |n: usize| (1..=n as u64).fold(1, |product, i| product * i % MODULUS);
    let repeats = types
        .iter()
        .fold(1, |product, &c| product * factorial(count[c]) % MODULUS);
    let within =
        factorial(half) * factorial(half) % MODULUS * power(repeats, MODULUS - 2) % MODULUS;
    // Sets of the other types that fill one half, while a and b live in the other; either half may be which.
    let mut answer = vec![vec![0; 128]; 128];
    for &a in &types {
        let without_a = without(&ways, count[a]);
        for &b in &types {
            let others = if a == b {
                without_a[half]
            } else {
                without(&without_a, count[b])[half]
            };
            answer[a][b] = 2 * others % MODULUS * within % MODULUS;
        }
    }
    let mut out = String::new();
    for _ in 0..queries {
        let mut villain = || usize::from(s[tokens.next().unwrap().parse::<usize>().unwrap() - 1]);
        let (x, y) = (villain(), villain());
        writeln!(out, "{}", answer[x][y]).unwrap();
    }
    print!("{out}");
}
