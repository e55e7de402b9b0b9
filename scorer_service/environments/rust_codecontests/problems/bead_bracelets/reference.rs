// Burnside's lemma for the n turns and n flips. For each divisor d of all c_i, phi(d) turns keep n/d free places, each
// bead kind c_i/d of them. If at most two c_i are odd, the flips keep n * multinomial of the halves in all, else none.
use std::fmt::Write;
use std::io::{self, Read};

const MODULUS: u64 = 998_244_353;
const MAX_BEADS: usize = 1_000_000;

struct Tables {
    factorial: Vec<u64>,
    inverse_factorial: Vec<u64>,
    totient: Vec<u64>,
}

impl Tables {
    fn new() -> Self {
        let mut factorial = vec![1; MAX_BEADS + 1];
        for i in 1..=MAX_BEADS {
            factorial[i] = factorial[i - 1] * i as u64 % MODULUS;
        }
        let mut inverse_factorial = vec![1; MAX_BEADS + 1];
        inverse_factorial[MAX_BEADS] = inverse(factorial[MAX_BEADS]);
        for i in (1..=MAX_BEADS).rev() {
            inverse_factorial[i - 1] = inverse_factorial[i] * i as u64 % MODULUS;
        }
        let mut totient: Vec<u64> = (0..=MAX_BEADS as u64).collect();
        for p in 2..=MAX_BEADS {
            if totient[p] == p as u64 {
                for multiple in (p..=MAX_BEADS).step_by(p) {
                    totient[multiple] -= totient[multiple] / p as u64;
                }
            }
        }
        Tables {
            factorial,
            inverse_factorial,
            totient,
        }
    }

    /// Arrangements in a row of `counts[i] / divisor` beads of each colour, rounded down.
    fn rows(&self, counts: &[usize], divisor: usize) -> u64 {
        let mut places = 0;
        let mut product = 1;
        for count in counts {
            places += count / divisor;
            product = product * self.inverse_factorial[count / divisor] % MODULUS;
        }
        product * self.factorial[places] % MODULUS
    }

    fn bracelets(&self, counts: &[usize]) -> u64 {
        let beads: usize = counts.iter().sum();
        let common = counts.iter().fold(0, |a, &b| greatest_common_divisor(a, b));
        let mut fixed = 0;
        for divisor in divisors(common) {
            fixed += self.totient[divisor] * self.rows(counts, divisor) % MODULUS;
        }
        if counts.iter().filter(|&count| count % 2 == 1).count() <= 2 {
            fixed += beads as u64 * self.rows(counts, 2) % MODULUS;
        }
        fixed % MODULUS * inverse(2 * beads as u64) % MODULUS
    }
}

fn inverse(value: u64) -> u64 {
    let (mut base, mut exponent, mut power) = (value % MODULUS, MODULUS - 2, 1);
    while exponent > 0 {
        if exponent % 2 == 1 {
            power = power * base % MODULUS;
        }
        base = base * base % MODULUS;
        exponent /= 2;
    }
    power
}

fn greatest_common_divisor(a: usize, b: usize) -> usize {
    if b == 0 {
        a
    } else {
        greatest_common_divisor(b, a % b)
    }
}

fn divisors(number: usize) -> Vec<usize> {
    let mut found = Vec::new();
    for d in (1..).take_while(|d| d * d <= number) {
        if number.is_multiple_of(d) {
            found.push(d);
            if d * d < number {
                found.push(number / d);
            }
        }
    }
    found
}

fn main() -> io::Result<()> {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text)?;
    let mut numbers = text
        .split_ascii_whitespace()
        .map(|token| token.parse::<usize>().expect("an integer"));
    let mut next = || numbers.next().expect("a further number");

    let tables = Tables::new();
    let mut answers = String::new();
    for _ in 0..next() {
        let counts: Vec<usize> = (0..next()).map(|_| next()).collect();
        writeln!(answers, "{}", tables.bracelets(&counts)).expect("a String takes every text");
    }
    print!("{answers}");
    Ok(())
}
