// Mistake: the empty prefix is forgotten, so pairs that start at the first element are lost
use std::io::{self, Read};

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let mut numbers = text
        .split_ascii_whitespace()
        .map(|t| t.parse::<usize>().unwrap());
    let n = numbers.next().unwrap();
    let mut seen = vec![[0u64; 2]; 1 << 20];

    let mut xor = 0;
    let mut pairs = 0;
    for (i, a) in numbers.take(n).enumerate() {
        xor ^= a;
        let count = &mut seen[xor][(i + 1) % 2];
        pairs += *count;
        *count += 1;
    }
    println!("{pairs}");
}
