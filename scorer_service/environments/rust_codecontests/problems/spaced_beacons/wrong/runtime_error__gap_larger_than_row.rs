// Mistake: fills the first g + 1 entries in a loop of their own, past the end where g >= n.
use std::io::{self, Read};

fn main() {
    let mut input = String::new();
    io::stdin().read_to_string(&mut input).unwrap();
    let mut numbers = input
        .split_ascii_whitespace()
        .map(|t| t.parse::<i64>().unwrap());
    let n = numbers.next().unwrap() as usize;
    let gap = numbers.next().unwrap() as usize;
    let values: Vec<i64> = numbers.collect();
    let mut best = vec![(0i64, 0i64); n + 1];
    for i in 0..=gap {
        best[i + 1] = best[i].max((values[i], -1));
    }
    for i in gap + 1..n {
        let (total, lit) = best[i - gap];
        best[i + 1] = best[i].max((total + values[i], lit - 1));
    }
    println!("{} {}", best[n].0, -best[n].1);
}
