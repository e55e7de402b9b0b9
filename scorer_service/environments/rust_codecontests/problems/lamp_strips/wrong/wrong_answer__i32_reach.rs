// Mistake: computes the end of a strip in i32, which wraps beyond 2147483647.
use std::io::Read;

fn main() {
    let mut input = String::new();
    std::io::stdin().read_to_string(&mut input).unwrap();
    let numbers: Vec<i32> = input
        .split_whitespace()
        .map(|x| x.parse().unwrap())
        .collect();
    let length = numbers[1];
    let mut pictures = numbers[2..].to_vec();
    pictures.sort();
    let mut starts = vec![pictures[0]];
    let mut reach = pictures[0].wrapping_add(length);
    for &x in &pictures {
        if x > reach {
            starts.push(x);
            reach = x.wrapping_add(length);
        }
    }
    println!("{}", starts.len());
    for s in starts {
        print!("{} ", s);
    }
    println!();
}
