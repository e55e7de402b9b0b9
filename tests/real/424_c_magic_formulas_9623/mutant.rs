// Mistake: ignores that an even number of cycles cancels out
use std::io::{self, Read};

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let mut numbers = text
        .split_ascii_whitespace()
        .map(|t| t.parse::<u64>().unwrap());
    let n = numbers.next().unwrap() as usize;
    let mut q = numbers.take(n).fold(0, |all, p| all ^ p);
    // prefix[i] = 0 ^ 1 ^ ... ^ i
    let mut prefix = vec![0u64; n + 1];
    for i in 1..=n {
        prefix[i] = prefix[i - 1] ^ i as u64;
    }
    for i in 1..=n {
        if n / i >= 1 {
            q ^= prefix[i - 1];
        }
        q ^= prefix[n % i];
    }
    println!("{q}");
}
