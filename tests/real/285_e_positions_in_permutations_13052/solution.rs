// Permutations with exactly k good positions: choices of good positions and their values, then inclusion-exclusion.
use std::io;

const MODULUS: u64 = 1_000_000_007;

fn main() {
    let mut line = String::new();
    io::stdin().read_line(&mut line).unwrap();
    let numbers: Vec<usize> = line
        .split_ascii_whitespace()
        .map(|t| t.parse().unwrap())
        .collect();
    let (n, k) = (numbers[0], numbers[1]);
    // ways[j][taken]: j good positions so far; bit 0 of `taken`: the value of this position's index is
    // used, bit 1: the next value is.
    let mut ways = vec![[0u64; 4]; n + 1];
    ways[0][1] = 1;
    for i in 1..=n {
        // Bit 0 of the state before stands for the value i - 1, bit 1 for i.
        let mut next = vec![[0u64; 4]; n + 1];
        for j in 0..i {
            for taken in 0..4usize {
                let count = ways[j][taken];
                let own = taken >> 1;
                next[j][own] = (next[j][own] + count) % MODULUS;
                if taken & 1 == 0 {
                    next[j + 1][own] = (next[j + 1][own] + count) % MODULUS;
                }
                if i < n {
                    next[j + 1][own | 2] = (next[j + 1][own | 2] + count) % MODULUS;
                }
            }
        }
        ways = next;
    }
    let mut factorial = vec![1u64];
    for i in 1..=n {
        factorial.push(factorial[i - 1] * i as u64 % MODULUS);
    }
    let mut choose = vec![vec![1u64]];
    for i in 1..=n {
        let mut row = vec![1u64];
        row.extend(
            choose[i - 1]
                .windows(2)
                .map(|pair| (pair[0] + pair[1]) % MODULUS),
        );
        row.push(1);
        choose.push(row);
    }
    let mut exactly = 0;
    for j in k..=n {
        let at_least = ways[j].iter().sum::<u64>() % MODULUS * factorial[n - j] % MODULUS;
        let term = at_least * choose[j][k] % MODULUS;
        exactly += if (j - k) % 2 == 0 {
            term
        } else {
            MODULUS - term
        };
    }
    println!("{}", exactly % MODULUS);
}
