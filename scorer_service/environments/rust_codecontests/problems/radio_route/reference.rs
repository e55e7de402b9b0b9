// Along a segment the covered part is the interval between the roots of a quadratic, cut to [0, 1].
// Its discriminant is computed in integers, so that a tangent segment adds exactly nothing.
use std::io::{self, Read};

fn main() -> io::Result<()> {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text)?;
    let mut numbers = text
        .split_ascii_whitespace()
        .map(|token| token.parse::<i64>().expect("an integer"));
    let mut next = || numbers.next().expect("a further number");
    let (n, x, y, r) = (next(), next(), next(), next());

    let mut total = 0.0;
    let mut previous: Option<(i64, i64)> = None;
    for _ in 0..n {
        let current = (next() - x, next() - y);
        if let Some(start) = previous {
            total += covered_length(start, current, r);
        }
        previous = Some(current);
    }
    println!("{total:.9}");
    Ok(())
}

/// Length of the part of the segment that lies in the disc of radius `r` round the origin.
fn covered_length(start: (i64, i64), end: (i64, i64), r: i64) -> f64 {
    let (dx, dy) = (end.0 - start.0, end.1 - start.1);
    let squared_length = dx * dx + dy * dy;
    let cross = start.0 * dy - start.1 * dx;
    let discriminant = r * r * squared_length - cross * cross;
    if discriminant <= 0 {
        return 0.0;
    }
    let middle = -(start.0 * dx + start.1 * dy) as f64;
    let half_chord = (discriminant as f64).sqrt();
    // Both ends of the interval are parameters scaled by the squared length.
    let enter = (middle - half_chord).max(0.0);
    let leave = (middle + half_chord).min(squared_length as f64);
    (leave - enter).max(0.0) / (squared_length as f64).sqrt()
}
