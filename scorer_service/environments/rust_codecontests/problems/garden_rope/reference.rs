// The enclosed region is the convex hull of the centres grown by r: its length is P + 2 pi r, its area A + P r + pi r^2,
// with P and A of the hull (P counts a degenerate hull both ways). Twice A is summed exactly, in i128.
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

/// Corners of the hull of sorted, distinct points, counterclockwise, without points inside an edge.
fn convex_hull(points: &[Point]) -> Vec<Point> {
    if points.len() < 3 {
        return points.to_vec();
    }
    let mut hull = half_hull(points.iter());
    hull.extend(half_hull(points.iter().rev()));
    hull
}

/// The chain that turns left on the way from the first point to the last one, which it leaves out.
fn half_hull<'a>(points: impl Iterator<Item = &'a Point>) -> Vec<Point> {
    let mut chain: Vec<Point> = Vec::new();
    for &p in points {
        while let [.., a, b] = chain[..] {
            if turn(a, b, p) > 0 {
                break;
            }
            chain.pop();
        }
        chain.push(p);
    }
    chain.pop();
    chain
}

/// Positive for a left turn. Differences reach 2e9, so the value reaches 8e18 and fits.
fn turn(a: Point, b: Point, c: Point) -> i64 {
    (b.0 - a.0) * (c.1 - a.1) - (b.1 - a.1) * (c.0 - a.0)
}
