// Expected square of the number of equal blocks, from the chances that neighbours differ.
use std::io::{self, Read};

const MODULUS: u64 = 1_000_000_007;

fn inverse(x: u64) -> u64 {
    let (mut result, mut base, mut exponent) = (1, x % MODULUS, MODULUS - 2);
    while exponent > 0 {
        if exponent % 2 == 1 {
            result = result * base % MODULUS;
        }
        base = base * base % MODULUS;
        exponent /= 2;
    }
    result
}

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let numbers: Vec<u64> = text
        .split_ascii_whitespace()
        .map(|t| t.parse().unwrap())
        .collect();
    let n = numbers[0] as usize;
    let (l, r) = (&numbers[1..=n], &numbers[n + 1..=2 * n]);
    // Chance that the elements from..=to are all equal.
    let equal = |from: usize, to: usize| {
        let low = *l[from..=to].iter().max().unwrap();
        let high = *r[from..=to].iter().min().unwrap();
        let values = (high + 1).saturating_sub(low);
        (from..=to).fold(values, |chance, i| {
            chance * inverse(r[i] - l[i] + 1) % MODULUS
        })
    };
    // differs[i]: chance that a block starts at i; the first always does.
    let mut differs = vec![1];
    for i in 1..n {
        differs.push((1 + MODULUS - equal(i - 1, i)) % MODULUS);
    }
    let all = differs.iter().sum::<u64>() % MODULUS;
    let mut square = 0;
    for i in 0..n {
        let mut near = differs[i];
        if i > 0 {
            near += differs[i - 1];
        }
        if i + 1 < n {
            near += differs[i + 1];
        }
        // Blocks two or more apart start independently, and so does one beside the first element.
        square += differs[i] * ((all + 3 * MODULUS - near) % MODULUS) % MODULUS + differs[i];
        if i == 1 {
            square += 2 * differs[1];
        } else if i > 1 {
            let same = equal(i - 1, i) + equal(i - 2, i - 1);
            square += 2 * ((1 + equal(i - 2, i) + 2 * MODULUS - same) % MODULUS);
        }
    }
    println!("{}", square % MODULUS);
}
