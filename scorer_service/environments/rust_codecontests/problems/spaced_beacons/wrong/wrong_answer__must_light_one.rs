// Mistake: forgets that no site at all may be lit when every value is negative.
use std::io::{self, Read};

fn main() {
    let mut input = String::new();
    io::stdin().read_to_string(&mut input).unwrap();
    let mut numbers = input
        .split_ascii_whitespace()
        .map(|t| t.parse::<i64>().unwrap());
    let n = numbers.next().unwrap() as usize;
    let gap = numbers.next().unwrap() as usize;
    let mut best = vec![(0i64, 0i64); n + 1];
    let mut answer = (i64::MIN, 0);
    for i in 0..n {
        let value = numbers.next().unwrap();
        let (total, lit) = best[i.saturating_sub(gap)];
        let lit_here = (total + value, lit - 1);
        answer = answer.max(lit_here);
        best[i + 1] = best[i].max(lit_here);
    }
    println!("{} {}", answer.0, -answer.1);
}
