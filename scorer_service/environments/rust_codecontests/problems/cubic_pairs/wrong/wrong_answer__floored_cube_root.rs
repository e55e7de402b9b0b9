// Cuts the floating-point cube root off instead of rounding it: 4.999... becomes 4.
use std::collections::HashMap;
use std::io::{self, Read};

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let mut count: HashMap<u64, u64> = HashMap::new();
    for token in text.split_ascii_whitespace().skip(1) {
        *count.entry(token.parse().unwrap()).or_default() += 1;
    }
    let is_cube = |product: u64| {
        let root = (product as f64).powf(1.0 / 3.0) as u64;
        root * root * root == product
    };
    let values: Vec<(u64, u64)> = count.into_iter().collect();
    let mut pairs = 0;
    for (i, &(a, na)) in values.iter().enumerate() {
        if is_cube(a * a) {
            pairs += na * (na - 1) / 2;
        }
        for &(b, nb) in &values[..i] {
            if is_cube(a * b) {
                pairs += na * nb;
            }
        }
    }
    println!("{}", pairs);
}
