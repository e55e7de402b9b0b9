// Mistake: never tries a line through the second and the third point
use std::io::{self, Read};

type Point = (i64, i64);

fn on_line(a: Point, b: Point, c: Point) -> bool {
    let left = i128::from(b.0 - a.0) * i128::from(c.1 - a.1);
    left == i128::from(b.1 - a.1) * i128::from(c.0 - a.0)
}

// Whether the points off the line through a and b all lie on another line.
fn covered(points: &[Point], a: Point, b: Point) -> bool {
    let rest: Vec<Point> = points
        .iter()
        .copied()
        .filter(|&c| !on_line(a, b, c))
        .collect();
    rest.len() < 3 || rest.iter().all(|&c| on_line(rest[0], rest[1], c))
}

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let numbers: Vec<i64> = text
        .split_ascii_whitespace()
        .map(|t| t.parse().unwrap())
        .collect();
    let points: Vec<Point> = numbers[1..]
        .chunks_exact(2)
        .take(numbers[0] as usize)
        .map(|p| (p[0], p[1]))
        .collect();
    let possible = points.len() < 5
        || covered(&points, points[0], points[1])
        || covered(&points, points[0], points[2]);
    println!("{}", if possible { "YES" } else { "NO" });
}
