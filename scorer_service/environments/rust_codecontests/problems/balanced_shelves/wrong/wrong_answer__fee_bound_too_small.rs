// Mistake: searches fees up to 10^9 only; few and wide shelves need fees up to the square of the sum.
use std::io::{self, Read};

fn best(p: &[i64], fee: i64) -> (i64, usize) {
    // (slope, height, shelves), a line for each split
    let mut hull: Vec<(i64, i64, usize)> = Vec::new();
    let mut low = 0;
    let mut now = (0i64, 0usize);
    for i in 0..p.len() - 1 {
        let line = (-4 * p[i], now.0 + 2 * p[i] * p[i], now.1);
        let same = hull.last().map_or(false, |l| l.0 == line.0);
        if !(same && hull[hull.len() - 1].1 <= line.1) {
            if same {
                hull.pop();
            }
            while hull.len() >= 2 {
                let a = hull[hull.len() - 2];
                let b = hull[hull.len() - 1];
                let left = (b.1 - a.1) as i128 * (b.0 - line.0) as i128;
                let right = (line.1 - b.1) as i128 * (a.0 - b.0) as i128;
                if left < right {
                    break;
                }
                hull.pop();
            }
            hull.push(line);
        }
        let x = p[i + 1];
        let value = |l: (i64, i64, usize)| l.0 * x + l.1;
        low = low.min(hull.len() - 1);
        while low + 1 < hull.len() && value(hull[low + 1]) <= value(hull[low]) {
            low += 1;
        }
        now = (value(hull[low]) + 2 * x * x + fee, hull[low].2 + 1);
    }
    now
}

fn main() {
    let mut input = String::new();
    io::stdin().read_to_string(&mut input).unwrap();
    let mut it = input
        .split_ascii_whitespace()
        .map(|t| t.parse::<i64>().unwrap());
    let n = it.next().unwrap() as usize;
    let k = it.next().unwrap() as usize;
    let mut p = vec![0i64];
    for i in 0..n {
        p.push(p[i] + it.next().unwrap());
    }
    let (mut low, mut high) = (0, 1_000_000_000);
    while low < high {
        let mid = (low + high) / 2;
        if best(&p, 2 * mid + 1).1 <= k {
            high = mid;
        } else {
            low = mid + 1;
        }
    }
    let (cost, shelves) = best(&p, 2 * low + 1);
    let rest = k as i64 - shelves as i64;
    println!(
        "{}",
        (cost - (2 * low + 1) * shelves as i64 - 2 * low * rest) / 2
    );
}
