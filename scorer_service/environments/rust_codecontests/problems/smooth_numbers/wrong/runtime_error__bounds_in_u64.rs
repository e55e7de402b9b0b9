// Mistake: reads the bounds as u64; they have up to 500 digits.
use std::io::{self, Read};

const P: u64 = 1_000_000_007;

fn up_to(bound: u64, d: usize, m: usize) -> u64 {
    let text = bound.to_string();
    let digits: Vec<usize> = text.bytes().map(|b| (b - b'0') as usize).collect();
    let mut free = vec![vec![0u64; m]; 10];
    let mut tight = None;
    for (i, &limit) in digits.iter().enumerate() {
        let mut next = vec![vec![0u64; m]; 10];
        for last in 0..10usize {
            for digit in 0..10usize {
                if last.abs_diff(digit) <= d {
                    for rest in 0..m {
                        let to = &mut next[digit][(rest * 10 + digit) % m];
                        *to = (*to + free[last][rest]) % P;
                    }
                }
            }
        }
        let first_limit = if i == 0 { limit } else { 10 };
        for digit in 1..first_limit {
            next[digit][digit % m] += 1;
        }
        if i == 0 {
            tight = (limit > 0).then_some((limit, limit % m));
        } else if let Some((last, rest)) = tight {
            for digit in 0..limit {
                if digit.abs_diff(last) <= d {
                    next[digit][(rest * 10 + digit) % m] += 1;
                }
            }
            tight = (limit.abs_diff(last) <= d).then_some((limit, (rest * 10 + limit) % m));
        }
        free = next;
    }
    let sum: u64 = free.iter().map(|r| r[0]).sum();
    (sum + matches!(tight, Some((_, 0))) as u64) % P
}

fn main() {
    let mut input = String::new();
    io::stdin().read_to_string(&mut input).unwrap();
    let t: Vec<u64> = input
        .split_ascii_whitespace()
        .map(|t| t.parse().unwrap())
        .collect();
    let (d, m) = (t[0] as usize, t[1] as usize);
    println!("{}", (up_to(t[3], d, m) + P - up_to(t[2] - 1, d, m)) % P);
}
