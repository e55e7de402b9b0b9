// Counts the roads that separate two points: those with the points on opposite sides.
use std::io::{self, Read};

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let v: Vec<i64> = text
        .split_ascii_whitespace()
        .map(|t| t.parse().unwrap())
        .collect();
    let steps = v[5..]
        .chunks_exact(3)
        .take(v[4] as usize)
        .filter(|road| {
            let home = road[0] * v[0] + road[1] * v[1] + road[2];
            let university = road[0] * v[2] + road[1] * v[3] + road[2];
            (home > 0) != (university > 0)
        })
        .count();
    println!("{steps}");
}
