// Mistake: does not notice that a point is given twice
use std::collections::BTreeSet;
use std::io::{self, Read};

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let numbers: Vec<u32> = text
        .split_ascii_whitespace()
        .map(|t| t.parse().unwrap())
        .collect();
    let points: BTreeSet<(u32, u32)> = numbers.chunks_exact(2).map(|p| (p[0], p[1])).collect();
    let xs: Vec<u32> = points
        .iter()
        .map(|p| p.0)
        .collect::<BTreeSet<_>>()
        .into_iter()
        .collect();
    let ys: Vec<u32> = points
        .iter()
        .map(|p| p.1)
        .collect::<BTreeSet<_>>()
        .into_iter()
        .collect();
    let decent = xs.len() == 3 && ys.len() == 3 && !points.contains(&(xs[1], ys[1]));
    println!("{}", if decent { "respectable" } else { "ugly" });
}
