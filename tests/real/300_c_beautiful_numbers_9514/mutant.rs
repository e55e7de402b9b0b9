// Mistake: looks at the last digit of the sum only
use std::io;

const MODULUS: u64 = 1_000_000_007;

fn main() {
    let mut line = String::new();
    io::stdin().read_line(&mut line).unwrap();
    let numbers: Vec<u64> = line
        .split_ascii_whitespace()
        .map(|t| t.parse().unwrap())
        .collect();
    let (a, b, n) = (numbers[0], numbers[1], numbers[2]);
    let good = |mut sum: u64| {
        sum %= 10;
        sum == a || sum == b
    };
    let mut inverse = vec![0, 1];
    for i in 2..=n {
        inverse.push((MODULUS - MODULUS / i) * inverse[(MODULUS % i) as usize] % MODULUS);
    }
    let mut choose = 1;
    let mut excellent = 0;
    for ones in 0..=n {
        if good(ones * a + (n - ones) * b) {
            excellent += choose;
        }
        if ones < n {
            choose = choose * (n - ones) % MODULUS * inverse[ones as usize + 1] % MODULUS;
        }
    }
    println!("{}", excellent % MODULUS);
}
