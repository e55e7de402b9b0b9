// Mistake: on a tie between lit and dark it takes lit, so more sites are lit than needed.
use std::io::{self, Read};

fn main() {
    let mut input = String::new();
    io::stdin().read_to_string(&mut input).unwrap();
    let mut numbers = input
        .split_ascii_whitespace()
        .map(|t| t.parse::<i64>().unwrap());
    let n = numbers.next().unwrap() as usize;
    let gap = numbers.next().unwrap() as usize;
    let mut total = vec![0i64; n + 1];
    let mut lit = vec![0u32; n + 1];
    for i in 0..n {
        let value = numbers.next().unwrap();
        let from = i.saturating_sub(gap);
        if total[from] + value >= total[i] {
            total[i + 1] = total[from] + value;
            lit[i + 1] = lit[from] + 1;
        } else {
            total[i + 1] = total[i];
            lit[i + 1] = lit[i];
        }
    }
    println!("{} {}", total[n], lit[n]);
}
