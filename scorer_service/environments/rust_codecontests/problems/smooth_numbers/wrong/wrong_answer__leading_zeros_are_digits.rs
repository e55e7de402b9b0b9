// Mistake: lets shorter numbers begin with zeros that count as digits, so 07 breaks the rule where d < 7.
use std::io::{self, Read};

const P: u64 = 1_000_000_007;

fn up_to(bound: &[usize], d: usize, m: usize) -> u64 {
    let mut free = vec![vec![0u64; m]; 10];
    let mut tight = Some((None, 0));
    for &limit in bound {
        let mut next = vec![vec![0u64; m]; 10];
        for last in 0..10usize {
            for digit in 0..10usize {
                if last.abs_diff(digit) <= d {
                    for rest in 0..m {
                        let to = &mut next[digit][(rest * 10 + digit) % m];
                        *to = (*to + free[last][rest]) % P;
                    }
                }
            }
        }
        if let Some((last, rest)) = tight {
            let fits = |digit: usize| last.map_or(true, |l: usize| l.abs_diff(digit) <= d);
            for digit in 0..limit {
                if fits(digit) {
                    next[digit][(rest * 10 + digit) % m] += 1;
                }
            }
            tight = fits(limit).then_some((Some(limit), (rest * 10 + limit) % m));
        }
        free = next;
    }
    let mut sum: u64 = free.iter().map(|r| r[0]).sum();
    if let Some((_, 0)) = tight {
        sum += 1;
    }
    sum % P
}

fn main() {
    let mut input = String::new();
    io::stdin().read_to_string(&mut input).unwrap();
    let t: Vec<&str> = input.split_ascii_whitespace().collect();
    let d: usize = t[0].parse().unwrap();
    let m: usize = t[1].parse().unwrap();
    let digits = |s: &str| -> Vec<usize> { s.bytes().map(|b| (b - b'0') as usize).collect() };
    let mut low = digits(t[2]);
    let high = digits(t[3]);
    // low - 1
    let mut i = low.len() - 1;
    while low[i] == 0 {
        low[i] = 9;
        i -= 1;
    }
    low[i] -= 1;
    println!("{}", (up_to(&high, d, m) + P - up_to(&low, d, m)) % P);
}
