// Keeps the number of streets for every pair of squares in a matrix: n * n cells do not fit.
use std::io::{self, Read};

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let v: Vec<usize> = text
        .split_ascii_whitespace()
        .map(|t| t.parse().unwrap())
        .collect();
    let (n, m) = (v[0], v[1]);
    let streets: Vec<(usize, usize)> = v[2..].chunks(2).map(|c| (c[0], c[1])).collect();
    let mut left = vec![vec![0u32; n + 1]; n + 1];
    let mut degree = vec![0; n + 1];
    for &(a, b) in &streets {
        left[a][b] += 1;
        left[b][a] += 1;
        degree[a] += 1;
        degree[b] += 1;
    }
    for a in 1..=n {
        if degree[a] % 2 == 1 {
            left[0][a] += 1;
            left[a][0] += 1;
        }
    }
    // forward[a][b]: walks from a to b that still wait for a street.
    let mut forward = vec![vec![0u32; n + 1]; n + 1];
    for start in 0..=n {
        let mut at = start;
        while let Some(to) = (0..=n).find(|&to| left[at][to] > 0) {
            left[at][to] -= 1;
            left[to][at] -= 1;
            forward[at][to] += 1;
            at = to;
        }
    }
    let mut out = String::with_capacity(m);
    for &(a, b) in &streets {
        if forward[a][b] > 0 {
            forward[a][b] -= 1;
            out.push('>');
        } else {
            out.push('<');
        }
    }
    println!("{}", out);
}
