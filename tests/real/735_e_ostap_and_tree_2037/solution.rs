// Ways to blacken tree vertices so that each has a black one within k: nearest black or farthest uncovered vertex.
use std::io::{self, Read};

const MODULUS: u64 = 1_000_000_007;

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let numbers: Vec<usize> = text
        .split_ascii_whitespace()
        .map(|t| t.parse().unwrap())
        .collect();
    let (n, k) = (numbers[0], numbers[1]);
    let mut graph = vec![Vec::new(); n];
    for edge in numbers[2..2 * n].chunks(2) {
        graph[edge[0] - 1].push(edge[1] - 1);
        graph[edge[1] - 1].push(edge[0] - 1);
    }
    let mut order = vec![(0, usize::MAX)];
    let mut at = 0;
    while at < n {
        let (v, parent) = order[at];
        at += 1;
        for &u in &graph[v] {
            if u != parent {
                order.push((u, v));
            }
        }
    }
    // ways[v][i] for i <= k: all below v is covered and the nearest black vertex is i away;
    // for i > k: the farthest uncovered vertex is i - k - 1 away.
    let mut ways = vec![vec![0u64; 2 * k + 2]; n];
    for state in &mut ways {
        state[0] = 1;
        state[k + 1] = 1;
    }
    for &(v, parent) in order.iter().skip(1).rev() {
        let mut merged = vec![0; 2 * k + 2];
        for i in 0..2 * k + 2 {
            for j in 0..=2 * k {
                let product = ways[parent][i] * ways[v][j] % MODULUS;
                let state = if i + j <= 2 * k {
                    i.min(j + 1)
                } else {
                    i.max(j + 1)
                };
                merged[state] = (merged[state] + product) % MODULUS;
            }
        }
        ways[parent] = merged;
    }
    println!("{}", ways[0][..=k].iter().sum::<u64>() % MODULUS);
}
