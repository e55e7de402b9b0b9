// Starts from the highest trail and turns one peak into a valley at a time, each found by a walk from the start.
use std::io::{self, Read};

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let v: Vec<i64> = text
        .split_ascii_whitespace()
        .map(|t| t.parse().unwrap())
        .collect();
    let (n, s) = (v[0], v[1]);

    let n = n as usize;
    let mut h: Vec<i64> = (0..n as i64).collect();
    let mut sum: i64 = h.iter().sum();
    let low = n as i64 / 2;
    if s > sum || s < low || (sum - s) % 2 != 0 {
        println!("NO");
        return;
    }
    while sum > s {
        // The last point has only one neighbour and counts as a peak above it.
        for i in 1..n {
            let peak = h[i - 1] < h[i] && (i + 1 == n || h[i + 1] < h[i]);
            if peak && h[i] >= 2 {
                h[i] -= 2;
                sum -= 2;
                break;
            }
        }
    }
    let steps: String = h
        .windows(2)
        .map(|w| if w[1] > w[0] { 'U' } else { 'D' })
        .collect();
    println!("YES\n{}", steps);
}
