// Mistake: walks through all smooth numbers without remembering what it counted: exponential in the digits.
use std::io::{self, Read};

struct Search {
    d: i32,
    m: i32,
    bound: Vec<i32>,
}

impl Search {
    fn count(&self, place: usize, last: i32, rest: i32, tight: bool) -> u64 {
        if place == self.bound.len() {
            return (last >= 0 && rest == 0) as u64;
        }
        let limit = if tight { self.bound[place] } else { 9 };
        let mut sum = 0;
        for digit in 0..=limit {
            let still_tight = tight && digit == limit;
            if last < 0 && digit == 0 {
                sum += self.count(place + 1, -1, 0, still_tight);
            } else if last < 0 || (digit - last).abs() <= self.d {
                let rest = (rest * 10 + digit) % self.m;
                sum += self.count(place + 1, digit, rest, still_tight);
            }
        }
        sum % 1_000_000_007
    }
}

fn main() {
    let mut input = String::new();
    io::stdin().read_to_string(&mut input).unwrap();
    let t: Vec<&str> = input.split_ascii_whitespace().collect();
    let digits = |s: &str| -> Vec<i32> { s.bytes().map(|b| (b - b'0') as i32).collect() };
    let mut below = digits(t[2]);
    let mut i = below.len() - 1;
    while below[i] == 0 {
        below[i] = 9;
        i -= 1;
    }
    below[i] -= 1;
    let up_to = |bound: Vec<i32>| {
        Search {
            d: t[0].parse().unwrap(),
            m: t[1].parse().unwrap(),
            bound,
        }
        .count(0, -1, 0, true)
    };
    let p = 1_000_000_007;
    println!("{}", (up_to(digits(t[3])) + p - up_to(below)) % p);
}
