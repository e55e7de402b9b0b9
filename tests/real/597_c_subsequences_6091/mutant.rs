// Mistake: adds up the answer in 32 bits
use std::io::{self, Read};

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let numbers: Vec<usize> = text
        .split_ascii_whitespace()
        .map(|t| t.parse().unwrap())
        .collect();
    let (n, k) = (numbers[0], numbers[1]);
    let mut sums = vec![vec![0u64; n + 1]; k + 1];
    let mut answer = 0u32;
    for &a in &numbers[2..n + 2] {
        let mut ending = 1u64;
        for length in 0..=k {
            if length > 0 {
                // Subsequences one shorter that end below a.
                ending = 0;
                let mut i = a - 1;
                while i > 0 {
                    ending += sums[length - 1][i];
                    i &= i - 1;
                }
            }
            let mut i = a;
            while i <= n {
                sums[length][i] += ending;
                i += i & i.wrapping_neg();
            }
        }
        answer += ending as u32;
    }
    println!("{answer}");
}
