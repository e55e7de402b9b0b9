// Treats every segment as a whole line: the chord is not cut at the ends of the segment.
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

    let mut total = 0.0;
    for w in p.windows(2) {
        let (dx, dy) = (w[1].0 - w[0].0, w[1].1 - w[0].1);
        let len2 = dx * dx + dy * dy;
        let cross = w[0].0 * dy - w[0].1 * dx;
        let disc = r * r * len2 - cross * cross;
        if disc > 0 {
            let chord = 2.0 * (disc as f64).sqrt() / (len2 as f64).sqrt();
            total += chord.min((len2 as f64).sqrt());
        }
    }
    println!("{:.9}", total);
}
