// Forgets that the parity of the sum is fixed by n: prints a trail with another sum.
use std::io::{self, Read};

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let v: Vec<i64> = text
        .split_ascii_whitespace()
        .map(|t| t.parse().unwrap())
        .collect();
    let (n, s) = (v[0], v[1]);

    if s < lowest(0, n - 1) || s > n * (n - 1) / 2 {
        println!("NO");
        return;
    }
    let (mut h, mut left) = (0, s);
    let mut out = String::new();
    for k in (0..n - 1).rev() {
        if h == 0 || h + 1 + lowest(h + 1, k) <= left {
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
