// Cuts the plane at every crossing of two circles and merges all discs in each of the up to n^2 slabs: cubic.
use std::io::{self, Read};

fn half_integral(u: f64, r: f64) -> f64 {
    let u = u.clamp(-r, r);
    (u * (r * r - u * u).sqrt() + r * r * (u / r).asin()) / 2.0
}

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let v: Vec<f64> = text
        .split_ascii_whitespace()
        .skip(1)
        .map(|t| t.parse().unwrap())
        .collect();
    let discs: Vec<(f64, f64, f64)> = v.chunks(3).map(|c| (c[0], c[1], c[2])).collect();
    let mut xs = Vec::new();
    for (i, a) in discs.iter().enumerate() {
        xs.push(a.0 - a.2);
        xs.push(a.0 + a.2);
        for b in &discs[..i] {
            let (dx, dy) = (b.0 - a.0, b.1 - a.1);
            let d2 = dx * dx + dy * dy;
            if d2 == 0.0 || d2 > (a.2 + b.2) * (a.2 + b.2) || d2 < (a.2 - b.2) * (a.2 - b.2) {
                continue;
            }
            let along = (a.2 * a.2 - b.2 * b.2 + d2) / (2.0 * d2);
            let across = (a.2 * a.2 / d2 - along * along).max(0.0).sqrt();
            xs.push(a.0 + along * dx - across * dy);
            xs.push(a.0 + along * dx + across * dy);
        }
    }
    xs.sort_by(|a, b| a.total_cmp(b));
    let mut area = 0.0;
    for w in xs.windows(2) {
        if w[1] - w[0] < 1e-11 {
            continue;
        }
        let mid = (w[0] + w[1]) / 2.0;
        let mut spans = Vec::new();
        for &(x, y, r) in &discs {
            if (mid - x).abs() < r {
                let h = (r * r - (mid - x) * (mid - x)).sqrt();
                spans.push((y - h, y + h, x, y, r));
            }
        }
        spans.sort_by(|a, b| a.0.total_cmp(&b.0));
        let integral = |s: &(f64, f64, f64, f64, f64), sign: f64| {
            let bulge = half_integral(w[1] - s.2, s.4) - half_integral(w[0] - s.2, s.4);
            s.3 * (w[1] - w[0]) + sign * bulge
        };
        let mut top = f64::NEG_INFINITY;
        let mut top_span = (0.0, 0.0, 0.0, 0.0, 1.0);
        for s in &spans {
            if s.0 > top {
                if top > f64::NEG_INFINITY {
                    area += integral(&top_span, 1.0);
                }
                area -= integral(s, -1.0);
            }
            if s.1 > top {
                top = s.1;
                top_span = *s;
            }
        }
        if top > f64::NEG_INFINITY {
            area += integral(&top_span, 1.0);
        }
    }
    println!("{:.9}", area);
}
