// Takes the cube root of every product: quadratic.
use std::io::{self, Read};

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let a: Vec<u64> = text
        .split_ascii_whitespace()
        .skip(1)
        .map(|t| t.parse().unwrap())
        .collect();
    let mut pairs = 0u64;
    for j in 0..a.len() {
        for i in 0..j {
            let product = a[i] * a[j];
            let root = (product as f64).cbrt().round() as u64;
            if root * root * root == product {
                pairs += 1;
            }
        }
    }
    println!("{}", pairs);
}
