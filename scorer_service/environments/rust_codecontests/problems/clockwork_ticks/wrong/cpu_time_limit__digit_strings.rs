// Multiplies decimal strings character by character: far more work for a digit than limbs need for nine.
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

    let mut value = String::from("0");
    for &(positions, digit) in wheels.iter().rev() {
        value = multiply_add(&value, positions, digit);
    }
    println!("{value}");
    Ok(())
}

fn multiply_add(number: &str, factor: u64, addend: u64) -> String {
    let mut result = String::new();
    let mut carry = addend;
    for c in number.chars().rev() {
        carry += u64::from(c.to_digit(10).unwrap()) * factor;
        result.push(char::from_digit((carry % 10) as u32, 10).unwrap());
        carry /= 10;
    }
    while carry > 0 {
        result.push(char::from_digit((carry % 10) as u32, 10).unwrap());
        carry /= 10;
    }
    let result: String = result.chars().rev().collect();
    let stripped = result.trim_start_matches('0');
    if stripped.is_empty() {
        "0".to_string()
    } else {
        stripped.to_string()
    }
}
