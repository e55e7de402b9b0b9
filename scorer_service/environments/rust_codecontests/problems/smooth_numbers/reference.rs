// Counts the good numbers up to a bound digit by digit: counts[last][rest] holds the shorter or smaller prefixes,
// and the one prefix equal to the bound's is followed alone. The answer is up_to(r) - up_to(l) + [l is good].
use std::io::{self, Read};

const MODULUS: u64 = 1_000_000_007;

struct Rule {
    step: usize,
    divisor: usize,
}

/// How many good numbers there are from 1 to the bound, and whether the bound is good itself.
fn up_to(bound: &[usize], rule: &Rule) -> (u64, bool) {
    let m = rule.divisor;
    let mut counts = vec![vec![0u64; m]; 10];
    // The last digit and the rest of the bound's own prefix, while it is smooth.
    let mut on_bound: Option<(usize, usize)> = None;
    for (place, &limit) in bound.iter().enumerate() {
        let mut following = vec![vec![0u64; m]; 10];
        for (last, rests) in counts.iter().enumerate() {
            for digit in last.saturating_sub(rule.step)..=(last + rule.step).min(9) {
                for (rest, &count) in rests.iter().enumerate() {
                    let entry = &mut following[digit][(rest * 10 + digit) % m];
                    *entry = (*entry + count) % MODULUS;
                }
            }
        }
        if place == 0 {
            for digit in 1..limit {
                following[digit][digit % m] += 1;
            }
            on_bound = Some((limit, limit % m));
        } else {
            for (digit, row) in following.iter_mut().enumerate().skip(1) {
                row[digit % m] += 1;
            }
            if let Some((last, rest)) = on_bound {
                for digit in (0..limit).filter(|digit| last.abs_diff(*digit) <= rule.step) {
                    following[digit][(rest * 10 + digit) % m] += 1;
                }
                on_bound =
                    (last.abs_diff(limit) <= rule.step).then_some((limit, (rest * 10 + limit) % m));
            }
        }
        counts = following;
    }
    let bound_is_good = matches!(on_bound, Some((_, 0)));
    let below: u64 = counts.iter().map(|rests| rests[0] % MODULUS).sum();
    ((below + u64::from(bound_is_good)) % MODULUS, bound_is_good)
}

fn main() {
    let mut input = String::new();
    io::stdin().read_to_string(&mut input).expect("input");
    let mut tokens = input.split_ascii_whitespace();
    let mut next = || tokens.next().expect("one more token");
    let rule = Rule {
        step: next().parse().expect("d"),
        divisor: next().parse().expect("m"),
    };
    let low: Vec<usize> = digits(next());
    let high: Vec<usize> = digits(next());

    let (to_low, low_is_good) = up_to(&low, &rule);
    let (to_high, _) = up_to(&high, &rule);
    println!(
        "{}",
        (to_high + MODULUS - to_low + u64::from(low_is_good)) % MODULUS
    );
}

fn digits(number: &str) -> Vec<usize> {
    number
        .bytes()
        .map(|byte| usize::from(byte - b'0'))
        .collect()
}
