// Mistake: for each site, scans all earlier sites for the best predecessor: O(n^2).
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
    let mut ending: Vec<(i64, i64)> = Vec::with_capacity(n);
    let mut answer = (0, 0);
    for i in 0..n {
        let mut best = (0, 0);
        for j in 0..i {
            if i - j > gap && ending[j] > best {
                best = ending[j];
            }
        }
        ending.push((best.0 + values[i], best.1 - 1));
        answer = answer.max(ending[i]);
    }
    println!("{} {}", answer.0, -answer.1);
}
