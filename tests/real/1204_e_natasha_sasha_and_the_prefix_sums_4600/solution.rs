// Sum of the greatest prefix sums of all +1/-1 arrays: for each level, the arrays that reach it (by reflection).
use std::io;

const MODULUS: u64 = 998_244_853;

fn main() {
    let mut line = String::new();
    io::stdin().read_line(&mut line).unwrap();
    let numbers: Vec<usize> = line
        .split_ascii_whitespace()
        .map(|t| t.parse().unwrap())
        .collect();
    let (n, m) = (numbers[0], numbers[1]);
    // Row n + m of Pascal's triangle.
    let mut row = vec![1u64];
    for _ in 0..n + m {
        let mut next = vec![1u64];
        next.extend(row.windows(2).map(|pair| (pair[0] + pair[1]) % MODULUS));
        next.push(1);
        row = next;
    }
    let mut sum = 0;
    for level in 1..=n {
        // The final sum n - m already reaches low levels; else reflect the part after the first visit.
        sum += if level + m <= n {
            row[n]
        } else {
            row[m + level]
        };
    }
    println!("{}", sum % MODULUS);
}
