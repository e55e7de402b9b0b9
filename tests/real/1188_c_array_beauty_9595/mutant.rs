// Mistake: takes k gaps among k elements, so the largest differences are never tried
use std::io::{self, Read};

const MODULUS: u64 = 998_244_353;

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let numbers: Vec<usize> = text
        .split_ascii_whitespace()
        .map(|t| t.parse().unwrap())
        .collect();
    let (n, k) = (numbers[0], numbers[1]);
    let mut a = numbers[2..n + 2].to_vec();
    a.sort_unstable();
    let mut answer = 0;
    for d in 1..=(a[n - 1] - a[0]) / k {
        // below[i]: how many elements may precede a[i].
        let mut below = Vec::with_capacity(n);
        let mut j = 0;
        for &x in &a {
            while a[j] + d <= x {
                j += 1;
            }
            below.push(j);
        }
        // ways[i]: subsequences of the current length among the first i elements.
        let mut ways: Vec<u64> = (0..=n as u64).collect();
        for _ in 1..k {
            let mut longer = vec![0; n + 1];
            for i in 0..n {
                longer[i + 1] = (longer[i] + ways[below[i]]) % MODULUS;
            }
            ways = longer;
        }
        answer += ways[n];
    }
    println!("{}", answer % MODULUS);
}
