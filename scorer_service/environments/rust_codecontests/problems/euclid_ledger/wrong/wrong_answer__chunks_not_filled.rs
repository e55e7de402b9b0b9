// Prints the chunks of the answer without filling them up to 19 digits.
use std::cmp::Ordering;
use std::fmt::Write;
use std::io::{self, Read};

const CHUNK_DIGITS: usize = 19;
const CHUNK: u64 = 10_u64.pow(19);

/// Least significant limb first, no zero limb at the top; zero is empty.
type Natural = Vec<u64>;

fn main() -> io::Result<()> {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text)?;
    let mut tokens = text.split_ascii_whitespace();
    let mut next = || from_decimal(tokens.next().expect("two numbers"));
    let (mut a, mut b) = (next(), next());

    let mut scratch = Natural::new();
    let mut steps = 0;
    while !b.is_empty() {
        reduce(&mut a, &b, &mut scratch);
        std::mem::swap(&mut a, &mut b);
        steps += 1;
    }
    println!("{steps}\n{}", to_decimal(a));
    Ok(())
}

fn low(value: u128) -> u64 {
    value as u64
}

fn high(value: u128) -> u64 {
    (value >> 64) as u64
}

fn join(high: u64, low: u64) -> u128 {
    (u128::from(high) << 64) | u128::from(low)
}

fn trim(number: &mut Natural) {
    while number.last() == Some(&0) {
        number.pop();
    }
}

fn compare(a: &[u64], b: &[u64]) -> Ordering {
    a.len()
        .cmp(&b.len())
        .then_with(|| a.iter().rev().cmp(b.iter().rev()))
}

/// Replaces `a` by `a mod b`; `b` is not zero. `scratch` is room for a shifted copy of `b`.
fn reduce(a: &mut Natural, b: &[u64], scratch: &mut Natural) {
    if compare(a, b) == Ordering::Less {
        return;
    }
    if let &[divisor] = b {
        let remainder = a
            .iter()
            .rev()
            .fold(0, |rest, &limb| low(join(rest, limb) % u128::from(divisor)));
        a.clear();
        a.push(remainder);
        trim(a);
        return;
    }
    let shift = b[b.len() - 1].leading_zeros();
    scratch.clear();
    scratch.extend_from_slice(b);
    shift_left(scratch, shift);
    a.push(0);
    shift_left(a, shift);

    let n = b.len();
    for j in (0..a.len() - n).rev() {
        let quotient = estimate(&a[j + n - 2..=j + n], scratch);
        if subtract_product(&mut a[j..=j + n], scratch, quotient) {
            add_back(&mut a[j..=j + n], scratch);
        }
    }
    a.truncate(n);
    shift_right(a, shift);
    trim(a);
}

/// The quotient limb, or one more than it, from the top three limbs of the dividend and the top two of the divisor.
fn estimate(dividend: &[u64], divisor: &[u64]) -> u64 {
    let (first, second) = (divisor[divisor.len() - 1], divisor[divisor.len() - 2]);
    let top = join(dividend[2], dividend[1]);
    let mut quotient = top / u128::from(first);
    let mut rest = top % u128::from(first);
    while high(quotient) > 0 || quotient * u128::from(second) > join(low(rest), dividend[0]) {
        quotient -= 1;
        rest += u128::from(first);
        if high(rest) > 0 {
            break;
        }
    }
    low(quotient)
}

/// Subtracts `factor * divisor` from the window; true if the result fell below zero and wrapped.
fn subtract_product(window: &mut [u64], divisor: &[u64], factor: u64) -> bool {
    let mut carry = 0;
    for (limb, &d) in window.iter_mut().zip(divisor) {
        let product = u128::from(factor) * u128::from(d) + u128::from(carry);
        let (difference, borrow) = limb.overflowing_sub(low(product));
        *limb = difference;
        carry = high(product) + u64::from(borrow);
    }
    let top = &mut window[divisor.len()];
    let (difference, borrow) = top.overflowing_sub(carry);
    *top = difference;
    borrow
}

fn add_back(window: &mut [u64], divisor: &[u64]) {
    let mut carry = 0;
    for (limb, &d) in window.iter_mut().zip(divisor) {
        let sum = u128::from(*limb) + u128::from(d) + u128::from(carry);
        *limb = low(sum);
        carry = high(sum);
    }
    let top = &mut window[divisor.len()];
    *top = top.wrapping_add(carry);
}

/// Shifts by less than a limb; the bits that leave the top limb are zeros.
fn shift_left(number: &mut [u64], shift: u32) {
    let mut carry = 0;
    for limb in number {
        let shifted = u128::from(*limb) << shift;
        *limb = low(shifted) | carry;
        carry = high(shifted);
    }
}

fn shift_right(number: &mut [u64], shift: u32) {
    let mut carry = 0;
    for limb in number.iter_mut().rev() {
        let shifted = join(*limb, 0) >> shift;
        *limb = high(shifted) | carry;
        carry = low(shifted);
    }
}

fn from_decimal(decimal: &str) -> Natural {
    let mut number = Natural::new();
    let mut rest = decimal;
    while !rest.is_empty() {
        let length = (rest.len() - 1) % CHUNK_DIGITS + 1;
        let (chunk, tail) = rest.split_at(length);
        let mut carry: u64 = chunk.parse().expect("decimal digits");
        for limb in &mut number {
            let value = u128::from(*limb) * u128::from(CHUNK) + u128::from(carry);
            *limb = low(value);
            carry = high(value);
        }
        number.push(carry);
        trim(&mut number);
        rest = tail;
    }
    number
}

fn to_decimal(mut number: Natural) -> String {
    let mut chunks = Vec::new();
    while !number.is_empty() {
        let mut rest = 0;
        for limb in number.iter_mut().rev() {
            let value = join(rest, *limb);
            *limb = low(value / u128::from(CHUNK));
            rest = low(value % u128::from(CHUNK));
        }
        chunks.push(rest);
        trim(&mut number);
    }
    let mut decimal = chunks.pop().unwrap_or(0).to_string();
    for chunk in chunks.iter().rev() {
        write!(decimal, "{chunk}").expect("a String takes every text");
    }
    decimal
}
