// Closes the chain with hull[len - 2] without a case for one place: the index underflows.
use std::io::{self, Read};

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let v: Vec<i64> = text
        .split_ascii_whitespace()
        .map(|t| t.parse().unwrap())
        .collect();
    let n = v[0] as usize;
    let r = v[1] as f64;
    let mut p: Vec<(i64, i64)> = (0..n).map(|i| (v[2 + 2 * i], v[3 + 2 * i])).collect();
    p.sort();
    p.dedup();
    let turn = |a: (i64, i64), b: (i64, i64), c: (i64, i64)| {
        (b.0 - a.0) * (c.1 - a.1) - (b.1 - a.1) * (c.0 - a.0)
    };
    let mut hull: Vec<(i64, i64)> = Vec::new();
    for &q in &p {
        while hull.len() >= 2 && turn(hull[hull.len() - 2], hull[hull.len() - 1], q) <= 0 {
            hull.pop();
        }
        hull.push(q);
    }
    let lower = hull.len();
    // Back from the last but one point to the first.
    let mut i = p.len() - 2;
    loop {
        let q = p[i];
        while hull.len() > lower && turn(hull[hull.len() - 2], hull[hull.len() - 1], q) <= 0 {
            hull.pop();
        }
        hull.push(q);
        if i == 0 {
            break;
        }
        i -= 1;
    }
    let (mut len, mut area2) = (0.0, 0i128);
    for w in hull.windows(2) {
        len += ((w[1].0 - w[0].0) as f64).hypot((w[1].1 - w[0].1) as f64);
        area2 += w[0].0 as i128 * w[1].1 as i128 - w[0].1 as i128 * w[1].0 as i128;
    }
    let pi = std::f64::consts::PI;
    println!(
        "{:.9} {:.9}",
        len + 2.0 * pi * r,
        area2 as f64 / 2.0 + len * r + pi * r * r
    );
}
