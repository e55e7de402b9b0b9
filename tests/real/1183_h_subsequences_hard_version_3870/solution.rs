// Cheapest k different subsequences: counts the distinct ones of every length and takes the longest first.
use std::io::{self, Read};

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let tokens: Vec<&str> = text.split_ascii_whitespace().collect();
    let mut missing: u128 = tokens[1].parse().unwrap();
    let s = tokens[2].as_bytes();
    let n = s.len();
    // ending[c][length]: distinct subsequences so far that end in the letter c.
    let mut ending = vec![vec![0u128; n + 1]; 26];
    for &c in s {
        for length in (1..=n).rev() {
            let shorter: u128 = ending.iter().map(|counts| counts[length - 1]).sum();
            ending[usize::from(c - b'a')][length] = shorter + u128::from(length == 1);
        }
    }
    let mut cost = 0;
    for length in (0..=n).rev() {
        let distinct = if length == 0 {
            1
        } else {
            ending.iter().map(|counts| counts[length]).sum()
        };
        let taken = missing.min(distinct);
        cost += taken * (n - length) as u128;
        missing -= taken;
    }
    if missing > 0 {
        println!("-1");
    } else {
        println!("{cost}");
    }
}
