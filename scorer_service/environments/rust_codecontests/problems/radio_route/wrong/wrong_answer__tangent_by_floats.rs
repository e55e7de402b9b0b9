// Subtracts in floating point before the root: a tangent segment gets a small positive chord.
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
        let (ax, ay) = (w[0].0 as f64, w[0].1 as f64);
        let (dx, dy) = ((w[1].0 - w[0].0) as f64, (w[1].1 - w[0].1) as f64);
        let len = dx.hypot(dy);
        if len == 0.0 {
            continue;
        }
        let (ux, uy) = (dx / len, dy / len);
        let along = -(ax * ux + ay * uy);
        let (fx, fy) = (ax + along * ux, ay + along * uy);
        let h = fx.hypot(fy);
        let r = r as f64;
        if h <= r + 1e-9 {
            let half = (r * r - h * h).abs().sqrt();
            let enter = (along - half).max(0.0);
            let leave = (along + half).min(len);
            if leave > enter {
                total += leave - enter;
            }
        }
    }
    println!("{:.9}", total);
}
