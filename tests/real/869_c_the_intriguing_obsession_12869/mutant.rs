// Mistake: multiplies three residues before reducing, which overflows 64 bits
use std::io;

const MODULUS: u64 = 998_244_353;

fn power(mut base: u64, mut exponent: u64) -> u64 {
    let mut result = 1;
    while exponent > 0 {
        if exponent % 2 == 1 {
            result = result * base % MODULUS;
        }
        base = base * base % MODULUS;
        exponent /= 2;
    }
    result
}

// Partial matchings between a and b islands.
fn matchings(a: u64, b: u64) -> u64 {
    let mut count = 0;
    let mut with_bridges = 1;
    for bridges in 1..=a.min(b) + 1 {
        count += with_bridges;
        let grown = with_bridges * (a + 1 - bridges) % MODULUS * (b + 1 - bridges) % MODULUS;
        with_bridges = grown * power(bridges, MODULUS - 2) % MODULUS;
    }
    count % MODULUS
}

fn main() {
    let mut line = String::new();
    io::stdin().read_line(&mut line).unwrap();
    let size: Vec<u64> = line
        .split_ascii_whitespace()
        .map(|t| t.parse().unwrap())
        .collect();
    let [red, blue, purple] = size[..] else {
        panic!("three clusters")
    };
    let ways = matchings(red, blue) * matchings(blue, purple) * matchings(red, purple);
    println!("{}", ways % MODULUS);
}
