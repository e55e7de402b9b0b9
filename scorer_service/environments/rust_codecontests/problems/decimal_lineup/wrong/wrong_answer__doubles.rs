// Reads the records as f64: numbers that differ behind the 16th digit become equal.
use std::io::{self, Read};

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let values: Vec<f64> = text
        .split_ascii_whitespace()
        .skip(1)
        .map(|t| t.parse().unwrap())
        .collect();
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&i, &j| values[i].partial_cmp(&values[j]).unwrap());
    let mut distinct = 1;
    let mut largest = order[0];
    for w in order.windows(2) {
        if values[w[0]] != values[w[1]] {
            distinct += 1;
            largest = w[1];
        }
    }
    println!("{} {} {}", distinct, order[0] + 1, largest + 1);
}
