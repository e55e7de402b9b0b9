// Long division in base 10 that brings down every digit of A in every step: cubic in all.
use std::cmp::Ordering;
use std::io::{self, Read};

fn compare(a: &[u8], b: &[u8]) -> Ordering {
    a.len()
        .cmp(&b.len())
        .then_with(|| a.iter().rev().cmp(b.iter().rev()))
}

fn trim(a: &mut Vec<u8>) {
    while a.last() == Some(&0) {
        a.pop();
    }
}

// Schoolbook division: bring down one digit after the other and subtract as often as it goes.
fn reduce(a: &mut Vec<u8>, b: &[u8]) {
    let mut rest: Vec<u8> = Vec::new();
    for &digit in a.iter().rev() {
        rest.insert(0, digit);
        trim(&mut rest);
        while compare(&rest, b) != Ordering::Less {
            let mut borrow = 0;
            for i in 0..rest.len() {
                let take = borrow + b.get(i).copied().unwrap_or(0);
                if rest[i] < take {
                    rest[i] += 10 - take;
                    borrow = 1;
                } else {
                    rest[i] -= take;
                    borrow = 0;
                }
            }
            trim(&mut rest);
        }
    }
    *a = rest;
}

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let mut numbers: Vec<Vec<u8>> = text
        .split_ascii_whitespace()
        .map(|t| t.bytes().rev().map(|c| c - b'0').collect())
        .collect();
    for number in &mut numbers {
        trim(number);
    }
    let mut b = numbers.pop().unwrap();
    let mut a = numbers.pop().unwrap();
    let mut steps = 0;
    while !b.is_empty() {
        reduce(&mut a, &b);
        std::mem::swap(&mut a, &mut b);
        steps += 1;
    }
    let answer: String = a.iter().rev().map(|&d| (b'0' + d) as char).collect();
    println!("{}\n{}", steps, answer);
}
