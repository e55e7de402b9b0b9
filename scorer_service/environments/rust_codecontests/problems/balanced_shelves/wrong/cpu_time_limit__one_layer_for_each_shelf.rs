// Mistake: fills one layer of the table for each shelf: O(n k), even with the convex hull trick.
use std::io::{self, Read};

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
    let mut cost: Vec<i64> = p.iter().map(|w| w * w).collect();
    for shelf in 1..k {
        let mut next = vec![i64::MAX; n + 1];
        let mut hull: Vec<(i64, i64)> = Vec::new();
        let mut low = 0;
        for i in shelf + 1..=n {
            let line = (-2 * p[i - 1], cost[i - 1] + p[i - 1] * p[i - 1]);
            if hull.last().map_or(false, |l| l.0 == line.0) {
                if hull[hull.len() - 1].1 > line.1 {
                    hull.pop();
                }
            }
            if hull.last().map_or(true, |l| l.0 != line.0) {
                while hull.len() >= 2 {
                    let a = hull[hull.len() - 2];
                    let b = hull[hull.len() - 1];
                    let left = (b.1 - a.1) as i128 * (b.0 - line.0) as i128;
                    if left < (line.1 - b.1) as i128 * (a.0 - b.0) as i128 {
                        break;
                    }
                    hull.pop();
                }
                hull.push(line);
            }
            low = low.min(hull.len() - 1);
            let value = |l: (i64, i64)| l.0 * p[i] + l.1;
            while low + 1 < hull.len() && value(hull[low + 1]) <= value(hull[low]) {
                low += 1;
            }
            next[i] = value(hull[low]) + p[i] * p[i];
        }
        cost = next;
    }
    println!("{}", cost[n]);
}
