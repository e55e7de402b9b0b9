// Writes the second height before it looks at n: with one point the index is out of bounds.
use std::io::{self, Read};

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let v: Vec<i64> = text
        .split_ascii_whitespace()
        .map(|t| t.parse().unwrap())
        .collect();
    let (n, s) = (v[0], v[1]);

    let low = n / 2;
    let high = n * (n - 1) / 2;
    if s < low || s > high || (s - low) % 2 != 0 {
        println!("NO");
        return;
    }
    // The first step can only go up.
    let mut h = vec![0i64; n as usize];
    h[1] = 1;
    let mut left = s - 1;
    for i in 2..n as usize {
        let k = n - 1 - i as i64;
        let up = h[i - 1] + 1;
        h[i] = if up + lowest(up, k) <= left {
            up
        } else {
            h[i - 1] - 1
        };
        left -= h[i];
    }
    let steps: String = h
        .windows(2)
        .map(|w| if w[1] > w[0] { 'U' } else { 'D' })
        .collect();
    println!("YES\n{}", steps);
}

fn lowest(h: i64, k: i64) -> i64 {
    if k <= h {
        k * h - k * (k + 1) / 2
    } else {
        h * (h - 1) / 2 + (k - h + 1) / 2
    }
}
