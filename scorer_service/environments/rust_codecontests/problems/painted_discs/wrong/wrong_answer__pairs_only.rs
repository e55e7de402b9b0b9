// Subtracts the overlap of every two discs and forgets that three discs may share a region.
use std::io::{self, Read};

fn lens(d: f64, a: f64, b: f64) -> f64 {
    if d >= a + b {
        return 0.0;
    }
    if d <= (a - b).abs() {
        let r = a.min(b);
        return std::f64::consts::PI * r * r;
    }
    let alpha = ((a * a + d * d - b * b) / (2.0 * a * d)).acos();
    let beta = ((b * b + d * d - a * a) / (2.0 * b * d)).acos();
    a * a * (alpha - alpha.sin() * alpha.cos()) + b * b * (beta - beta.sin() * beta.cos())
}

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let v: Vec<f64> = text
        .split_ascii_whitespace()
        .skip(1)
        .map(|t| t.parse().unwrap())
        .collect();
    let discs: Vec<&[f64]> = v.chunks(3).collect();
    let mut area = 0.0;
    for (i, a) in discs.iter().enumerate() {
        area += std::f64::consts::PI * a[2] * a[2];
        for b in &discs[..i] {
            area -= lens((a[0] - b[0]).hypot(a[1] - b[1]), a[2], b[2]);
        }
    }
    println!("{:.9}", area);
}
