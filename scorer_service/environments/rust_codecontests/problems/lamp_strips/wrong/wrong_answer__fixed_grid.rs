// Mistake: lays the strips end to end from the leftmost picture and keeps those with a picture.
use std::collections::BTreeSet;
use std::io::Read;

fn main() {
    let mut input = String::new();
    std::io::stdin().read_to_string(&mut input).unwrap();
    let numbers: Vec<i64> = input
        .split_whitespace()
        .map(|x| x.parse().unwrap())
        .collect();
    let length = numbers[1];
    let pictures = &numbers[2..];
    let first = *pictures.iter().min().unwrap();
    let cells: BTreeSet<i64> = pictures
        .iter()
        .map(|x| (x - first) / (length + 1))
        .collect();
    println!("{}", cells.len());
    for cell in cells {
        print!("{} ", first + cell * (length + 1));
    }
    println!();
}
