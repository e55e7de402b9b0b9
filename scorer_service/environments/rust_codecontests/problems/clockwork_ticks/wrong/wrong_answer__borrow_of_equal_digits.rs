// Borrows by comparing the two positions only: equal positions with a borrow underneath do not pass it on.
use std::fmt::Write;
use std::io::{self, Read};

const LIMB: u64 = 1_000_000_000;

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
        let short = target < wheel[1];
        wheels.push((positions, (target + positions - start) % positions));
        borrow = u64::from(short);
    }

    let mut limbs: Vec<u64> = Vec::new();
    for &(positions, digit) in wheels.iter().rev() {
        multiply_add(&mut limbs, positions, digit);
    }
    println!("{}", to_decimal(&limbs));
    Ok(())
}

/// `number * factor + addend` in place; the least significant limb is the first one.
fn multiply_add(number: &mut Vec<u64>, factor: u64, addend: u64) {
    let mut carry = addend;
    for limb in number.iter_mut() {
        let value = *limb * factor + carry;
        *limb = value % LIMB;
        carry = value / LIMB;
    }
    if carry > 0 {
        number.push(carry);
    }
}

fn to_decimal(limbs: &[u64]) -> String {
    let Some((top, rest)) = limbs.split_last() else {
        return "0".to_string();
    };
    let mut decimal = top.to_string();
    for limb in rest.iter().rev() {
        write!(decimal, "{limb:09}").expect("a String takes every text");
    }
    decimal
}
