// Mistake: totals are kept in i32, which wraps once a few large values add up.
use std::io::{self, Read};

fn main() {
    let mut input = String::new();
    io::stdin().read_to_string(&mut input).unwrap();
    let mut numbers = input
        .split_ascii_whitespace()
        .map(|t| t.parse::<i32>().unwrap());
    let n = numbers.next().unwrap() as usize;
    let gap = numbers.next().unwrap() as usize;
    let mut best = vec![(0i32, 0i32); n + 1];
    for i in 0..n {
        let value = numbers.next().unwrap();
        let (total, lit) = best[i.saturating_sub(gap)];
        best[i + 1] = best[i].max((total.wrapping_add(value), lit - 1));
    }
    println!("{} {}", best[n].0, -best[n].1);
}
