// Numbers of n digits a and b with a digit sum of digits a and b, by how many digits are a.
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
        while sum > 0 && (sum % 10 == a || sum % 10 == b) {
            sum /= 10;
        }
        sum == 0
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
