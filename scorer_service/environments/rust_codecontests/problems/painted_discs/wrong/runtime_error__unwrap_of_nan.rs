// Takes acos without a look at nested or touching discs and unwraps partial_cmp: NaN makes it panic.
use std::f64::consts::{PI, TAU};
use std::io::{self, Read};

#[derive(Clone, Copy)]
struct Disc {
    x: i64,
    y: i64,
    r: i64,
}

impl Disc {
    fn squared_distance(self, other: Disc) -> i64 {
        (self.x - other.x).pow(2) + (self.y - other.y).pow(2)
    }

    fn is_apart_from(self, other: Disc) -> bool {
        self.squared_distance(other) >= (self.r + other.r).pow(2)
    }

    /// Integral of (x dy - y dx) / 2 along the arc between two angles.
    fn arc_integral(self, from: f64, to: f64) -> f64 {
        let (x, y, r) = (self.x as f64, self.y as f64, self.r as f64);
        let straight = x * (to.sin() - from.sin()) - y * (to.cos() - from.cos());
        r * (r * (to - from) + straight) / 2.0
    }
}

fn main() -> io::Result<()> {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text)?;
    let numbers: Vec<i64> = text
        .split_ascii_whitespace()
        .skip(1)
        .map(|token| token.parse().expect("an integer"))
        .collect();
    let discs: Vec<Disc> = numbers
        .chunks_exact(3)
        .map(|chunk| Disc {
            x: chunk[0],
            y: chunk[1],
            r: chunk[2],
        })
        .collect();
    let outer = without_equal(&discs);

    let mut area = 0.0;
    let mut covered: Vec<(f64, f64)> = Vec::new();
    for &disc in &outer {
        covered.clear();
        for &other in &outer {
            push_covered_arc(disc, other, &mut covered);
        }
        covered.sort_unstable_by(|a, b| a.0.partial_cmp(&b.0).unwrap());
        let mut reached = -PI;
        for &(from, to) in &covered {
            if from > reached {
                area += disc.arc_integral(reached, from);
            }
            reached = reached.max(to);
        }
        if reached < PI {
            area += disc.arc_integral(reached, PI);
        }
    }
    println!("{area:.9}");
    Ok(())
}

fn without_equal(discs: &[Disc]) -> Vec<Disc> {
    let mut keys: Vec<(i64, i64, i64)> = discs.iter().map(|d| (d.x, d.y, d.r)).collect();
    keys.sort();
    keys.dedup();
    keys.into_iter().map(|(x, y, r)| Disc { x, y, r }).collect()
}

/// Adds the angles of `disc` that lie in `other`, cut at -pi and pi. Neither disc contains the other one.
fn push_covered_arc(disc: Disc, other: Disc, covered: &mut Vec<(f64, f64)>) {
    let squared_distance = disc.squared_distance(other);
    if squared_distance == 0 || disc.is_apart_from(other) {
        return;
    }
    let direction = ((other.y - disc.y) as f64).atan2((other.x - disc.x) as f64);
    let numerator = (disc.r * disc.r + squared_distance - other.r * other.r) as f64;
    let cosine = numerator / (2.0 * disc.r as f64 * (squared_distance as f64).sqrt());
    let half_angle = cosine.acos();
    let (from, to) = (direction - half_angle, direction + half_angle);
    if from < -PI {
        covered.push((from + TAU, PI));
        covered.push((-PI, to));
    } else if to > PI {
        covered.push((from, PI));
        covered.push((-PI, to - TAU));
    } else {
        covered.push((from, to));
    }
}
