// Result of a game on a tree when a friend or an enemy arranges the leaf numbers.
use std::io::{self, Read};

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let numbers: Vec<usize> = text
        .split_ascii_whitespace()
        .map(|t| t.parse().unwrap())
        .collect();
    let n = numbers[0];
    let mut children = vec![Vec::new(); n];
    for edge in numbers[1..2 * n - 1].chunks(2) {
        children[edge[0] - 1].push(edge[1] - 1);
    }
    let mut first_moves = vec![true; n];
    let mut order = vec![0];
    let mut at = 0;
    while at < order.len() {
        let v = order[at];
        at += 1;
        for &u in &children[v] {
            first_moves[u] = !first_moves[v];
            order.push(u);
        }
    }
    // How many of the largest (smallest) numbers a subtree needs to make the result one of them.
    let mut large = vec![1usize; n];
    let mut small = vec![1usize; n];
    let mut leaves = 0;
    for &v in order.iter().rev() {
        if children[v].is_empty() {
            leaves += 1;
            continue;
        }
        let least = |need: &[usize]| children[v].iter().map(|&u| need[u]).min().unwrap();
        let sum = |need: &[usize]| children[v].iter().map(|&u| need[u]).sum();
        let (for_large, for_small) = if first_moves[v] {
            (least(&large), sum(&small))
        } else {
            (sum(&large), least(&small))
        };
        large[v] = for_large;
        small[v] = for_small;
    }
    println!("{} {}", leaves - large[0] + 1, small[0]);
}
