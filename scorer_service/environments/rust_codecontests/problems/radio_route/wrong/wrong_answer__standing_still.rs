// Divides by the squared length without a look at segments of length zero: the sum becomes NaN.
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

    let mut total = 0.0f64;
    for w in p.windows(2) {
        let (dx, dy) = (w[1].0 - w[0].0, w[1].1 - w[0].1);
        let len2 = (dx * dx + dy * dy) as f64;
        let cross = w[0].0 * dy - w[0].1 * dx;
        let disc = r * r * (dx * dx + dy * dy) - cross * cross;
        if disc < 0 {
            continue;
        }
        let middle = -(w[0].0 * dx + w[0].1 * dy) as f64;
        let t1 = ((middle - (disc as f64).sqrt()) / len2).clamp(0.0, 1.0);
        let t2 = ((middle + (disc as f64).sqrt()) / len2).clamp(0.0, 1.0);
        total += (t2 - t1) * len2.sqrt();
    }
    println!("{:.9}", total);
}
