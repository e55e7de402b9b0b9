// Mistake: counts the two pairs in which one number is zero
use std::io;

fn main() {
    let mut line = String::new();
    io::stdin().read_line(&mut line).unwrap();
    let numbers: Vec<u64> = line
        .split_ascii_whitespace()
        .map(|t| t.parse().unwrap())
        .collect();
    let (sum, xor) = (numbers[0], numbers[1]);
    // The sum is the xor plus twice the bits that both have.
    if xor > sum || (sum - xor) % 2 == 1 || (sum - xor) / 2 & xor != 0 {
        println!("0");
        return;
    }
    let pairs = 1u64 << xor.count_ones();
    println!("{pairs}");
}
