// Fewest and most distinct edge weights when all leaf-to-leaf xors are zero.
use std::io::{self, Read};

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let numbers: Vec<usize> = text
        .split_ascii_whitespace()
        .map(|t| t.parse().unwrap())
        .collect();
    let n = numbers[0];
    let mut graph = vec![Vec::new(); n];
    for edge in numbers[1..2 * n - 1].chunks(2) {
        graph[edge[0] - 1].push(edge[1] - 1);
        graph[edge[1] - 1].push(edge[0] - 1);
    }
    let mut most = n - 1;
    let mut leaf_at_parity = [false; 2];
    let mut stack = vec![(0, usize::MAX, 0)];
    while let Some((v, parent, parity)) = stack.pop() {
        if graph[v].len() == 1 {
            leaf_at_parity[parity] = true;
        }
        // Edges to leaves of one vertex must all have the same weight.
        let leaves = graph[v].iter().filter(|&&u| graph[u].len() == 1).count();
        most -= leaves.saturating_sub(1);
        for &u in &graph[v] {
            if u != parent {
                stack.push((u, v, 1 - parity));
            }
        }
    }
    let fewest = if leaf_at_parity == [true; 2] { 3 } else { 1 };
    println!("{fewest} {most}");
}
