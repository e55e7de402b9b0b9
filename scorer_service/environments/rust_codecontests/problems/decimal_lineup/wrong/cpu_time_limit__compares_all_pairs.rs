// Looks for every record in the list of different ones seen so far: quadratic.
use std::cmp::Ordering;
use std::io::{self, Read};

#[derive(PartialEq, Eq)]
struct Decimal<'a> {
    negative: bool,
    integer: &'a [u8],
    fraction: &'a [u8],
}

impl<'a> Decimal<'a> {
    fn parse(record: &'a str) -> Self {
        let (signed, magnitude) = match record.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, record),
        };
        let (integer, fraction) = magnitude.split_once('.').unwrap_or((magnitude, ""));
        let integer = integer.trim_start_matches('0').as_bytes();
        let fraction = fraction.trim_end_matches('0').as_bytes();
        let is_zero = integer.is_empty() && fraction.is_empty();
        Decimal {
            negative: signed && !is_zero,
            integer,
            fraction,
        }
    }

    fn compare_magnitude(&self, other: &Self) -> Ordering {
        (self.integer.len(), self.integer, self.fraction).cmp(&(
            other.integer.len(),
            other.integer,
            other.fraction,
        ))
    }

    fn compare(&self, other: &Self) -> Ordering {
        match (self.negative, other.negative) {
            (false, false) => self.compare_magnitude(other),
            (true, true) => other.compare_magnitude(self),
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
        }
    }
}

fn main() -> io::Result<()> {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text)?;
    let records: Vec<Decimal> = text
        .split_ascii_whitespace()
        .skip(1)
        .map(Decimal::parse)
        .collect();

    let (mut smallest, mut largest) = (0, 0);
    for i in 1..records.len() {
        if records[i].compare(&records[smallest]) == Ordering::Less {
            smallest = i;
        }
        if records[i].compare(&records[largest]) == Ordering::Greater {
            largest = i;
        }
    }
    let mut seen: Vec<usize> = Vec::new();
    for i in 0..records.len() {
        if !seen.iter().any(|&j| records[j] == records[i]) {
            seen.push(i);
        }
    }
    let distinct = seen.len();
    println!("{distinct} {} {}", smallest + 1, largest + 1);
    Ok(())
}
