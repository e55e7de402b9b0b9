// Every record becomes a canonical form (sign, digits before the point, digits after it) without needless zeros.
// Canonical forms compare by sign, by the length of the integer part, and then byte by byte.
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

    let mut order: Vec<usize> = (0..records.len()).collect();
    // A stable sort leaves equal records in their order of appearance.
    order.sort_by(|&i, &j| records[i].compare(&records[j]));
    let smallest = order[0];
    let mut distinct = 1;
    let mut largest = order[0];
    for pair in order.windows(2) {
        if records[pair[0]] != records[pair[1]] {
            distinct += 1;
            largest = pair[1];
        }
    }
    println!("{distinct} {} {}", smallest + 1, largest + 1);
    Ok(())
}
