// Counts in u128 with checked operations and unwraps: panics as soon as the answer passes 2^128.
use std::io::{self, Read};

fn main() -> io::Result<()> {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text)?;
    let numbers: Vec<u64> = text
        .split_ascii_whitespace()
        .skip(1)
        .map(|token| token.parse().expect("an integer"))
        .collect();

    let mut borrow = 0;
    let mut wheels: Vec<(u64, u64)> = Vec::new();
    for wheel in numbers.chunks_exact(3) {
        let (positions, start, target) = (wheel[0], wheel[1] + borrow, wheel[2]);
        borrow = u64::from(target < start);
        wheels.push((positions, target + borrow * positions - start));
    }

    let mut value: u128 = 0;
    for &(positions, digit) in wheels.iter().rev() {
        value = value
            .checked_mul(u128::from(positions))
            .and_then(|v| v.checked_add(u128::from(digit)))
            .unwrap();
    }
    println!("{value}");
    Ok(())
}
