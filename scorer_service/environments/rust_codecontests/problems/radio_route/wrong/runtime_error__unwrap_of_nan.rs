// Sorts the cut parameters with partial_cmp().unwrap(): a segment of length zero makes them NaN, and it panics.
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
    let r2 = (r * r) as f64;
    for w in p.windows(2) {
        let (ax, ay) = (w[0].0 as f64, w[0].1 as f64);
        let (dx, dy) = ((w[1].0 - w[0].0) as f64, (w[1].1 - w[0].1) as f64);
        let len2 = dx * dx + dy * dy;
        let cross = ax * dy - ay * dx;
        let disc = r2 * len2 - cross * cross;
        let mut cuts = vec![0.0, 1.0];
        if disc >= 0.0 {
            let middle = -(ax * dx + ay * dy);
            cuts.push((middle - disc.sqrt()) / len2);
            cuts.push((middle + disc.sqrt()) / len2);
        }
        cuts.sort_by(|a, b| a.partial_cmp(b).unwrap());
        for c in cuts.windows(2) {
            let (from, to) = (c[0].max(0.0), c[1].min(1.0));
            if from < to {
                let t = (from + to) / 2.0;
                let (mx, my) = (ax + t * dx, ay + t * dy);
                if mx * mx + my * my <= r2 {
                    total += (to - from) * len2.sqrt();
                }
            }
        }
    }
    println!("{:.9}", total);
}
