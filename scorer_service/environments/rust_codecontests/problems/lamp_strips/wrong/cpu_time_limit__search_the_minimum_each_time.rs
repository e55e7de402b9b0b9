// Mistake: looks through all dark pictures for the leftmost one before every strip, without sorting.
use std::io::Read;

fn main() {
    let mut input = String::new();
    std::io::stdin().read_to_string(&mut input).unwrap();
    let numbers: Vec<i64> = input
        .split_whitespace()
        .map(|x| x.parse().unwrap())
        .collect();
    let length = numbers[1];
    let mut dark = numbers[2..].to_vec();
    let mut starts = Vec::new();
    while !dark.is_empty() {
        let first = *dark.iter().min().unwrap();
        starts.push(first);
        dark.retain(|&x| x > first + length);
    }
    println!("{}", starts.len());
    for s in starts {
        print!("{} ", s);
    }
    println!();
}
