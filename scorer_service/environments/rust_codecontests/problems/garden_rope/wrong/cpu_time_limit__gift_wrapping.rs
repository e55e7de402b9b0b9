// Wraps the hull one corner at a time: quadratic when all centres are corners.
use std::f64::consts::PI;
use std::io::{self, Read};

type Point = (i64, i64);

fn main() -> io::Result<()> {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text)?;
    let mut numbers = text
        .split_ascii_whitespace()
        .map(|token| token.parse::<i64>().expect("an integer"));
    let mut next = || numbers.next().expect("a further number");
    let (n, r) = (next(), next());
    let mut centres: Vec<Point> = (0..n).map(|_| (next(), next())).collect();
    centres.sort_unstable();
    centres.dedup();

    let hull = convex_hull(&centres);
    let mut length = 0.0;
    let mut twice_area: i128 = 0;
    for (i, &p) in hull.iter().enumerate() {
        let q = hull[(i + 1) % hull.len()];
        length += ((q.0 - p.0) as f64).hypot((q.1 - p.1) as f64);
        twice_area += i128::from(p.0) * i128::from(q.1) - i128::from(p.1) * i128::from(q.0);
    }
    let r = r as f64;
    let area = twice_area as f64 / 2.0 + length * r + PI * r * r;
    println!("{:.9} {area:.9}", length + 2.0 * PI * r);
    Ok(())
}

fn convex_hull(points: &[Point]) -> Vec<Point> {
    let mut hull = vec![points[0]];
    if points.len() == 1 {
        return hull;
    }
    loop {
        let current = *hull.last().unwrap();
        let mut best = if current == points[0] {
            points[1]
        } else {
            points[0]
        };
        for &p in points {
            if p == current {
                continue;
            }
            let t = turn(current, best, p);
            let farther = (p.0 - current.0).abs() + (p.1 - current.1).abs()
                > (best.0 - current.0).abs() + (best.1 - current.1).abs();
            if t < 0 || (t == 0 && farther) {
                best = p;
            }
        }
        if best == points[0] {
            return hull;
        }
        hull.push(best);
    }
}

/// Positive for a left turn. Differences reach 2e9, so the value reaches 8e18 and fits.
fn turn(a: Point, b: Point, c: Point) -> i64 {
    (b.0 - a.0) * (c.1 - a.1) - (b.1 - a.1) * (c.0 - a.0)
}
