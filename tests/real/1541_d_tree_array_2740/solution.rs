// Expected inversions of a random tree marking: for each first vertex, a race of two branches from where they part.
use std::io::{self, Read};

const MODULUS: u64 = 1_000_000_007;
const HALF: u64 = 500_000_004;

fn power(mut base: u64, mut exponent: u64) -> u64 {
    let mut result = 1;
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
    let numbers: Vec<usize> = text
        .split_ascii_whitespace()
        .map(|t| t.parse().unwrap())
        .collect();
    let n = numbers[0];
    let mut dist = vec![vec![n; n]; n];
    for (v, row) in dist.iter_mut().enumerate() {
        row[v] = 0;
    }
    for edge in numbers[1..2 * n - 1].chunks(2) {
        dist[edge[0] - 1][edge[1] - 1] = 1;
        dist[edge[1] - 1][edge[0] - 1] = 1;
    }
    for via in 0..n {
        for u in 0..n {
            for v in 0..n {
                dist[u][v] = dist[u][v].min(dist[u][via] + dist[via][v]);
            }
        }
    }
    // first[x][y]: chance that the branch with y steps left ends before the one with x left.
    let mut first = vec![vec![0; n + 1]; n + 1];
    for x in 1..=n {
        first[x][0] = 1;
        for y in 1..=n {
            first[x][y] = (first[x - 1][y] + first[x][y - 1]) * HALF % MODULUS;
        }
    }
    let mut total = 0;
    for root in 0..n {
        for large in 0..n {
            for small in 0..large {
                let (a, b, apart) = (dist[root][small], dist[root][large], dist[small][large]);
                total += first[(a + apart - b) / 2][(b + apart - a) / 2];
            }
        }
    }
    println!(
        "{}",
        total % MODULUS * power(n as u64, MODULUS - 2) % MODULUS
    );
}
