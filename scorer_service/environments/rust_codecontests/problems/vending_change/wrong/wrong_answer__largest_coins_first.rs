// Mistake: pays greedily with the largest coins first.
use std::io::{self, Read};

fn main() {
    let mut input = String::new();
    io::stdin().read_to_string(&mut input).unwrap();
    let mut it = input
        .split_ascii_whitespace()
        .map(|t| t.parse::<u64>().unwrap());
    let n = it.next().unwrap();
    let mut left = it.next().unwrap();
    let mut boxes: Vec<(u64, u64)> = (0..n)
        .map(|_| (it.next().unwrap(), it.next().unwrap()))
        .collect();
    boxes.sort();
    let mut coins = 0;
    for &(d, c) in boxes.iter().rev() {
        let k = c.min(left / d);
        coins += k;
        left -= k * d;
    }
    if left == 0 {
        println!("{coins}");
    } else {
        println!("-1");
    }
}
