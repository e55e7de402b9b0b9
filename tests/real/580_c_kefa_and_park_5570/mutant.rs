// Mistake: a root with one child is taken for a restaurant
use std::io::{self, Read};

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let numbers: Vec<usize> = text
        .split_ascii_whitespace()
        .map(|t| t.parse().unwrap())
        .collect();
    let (n, m) = (numbers[0], numbers[1]);
    let cat = &numbers[2..n + 2];
    let mut graph = vec![Vec::new(); n];
    for edge in numbers[n + 2..3 * n].chunks(2) {
        graph[edge[0] - 1].push(edge[1] - 1);
        graph[edge[1] - 1].push(edge[0] - 1);
    }
    let mut restaurants = 0;
    let mut stack = vec![(0, usize::MAX, 0)];
    while let Some((v, parent, before)) = stack.pop() {
        let in_row = if cat[v] == 1 { before + 1 } else { 0 };
        if in_row > m {
            continue;
        }
        if graph[v].len() == 1 {
            restaurants += 1;
        }
        for &u in &graph[v] {
            if u != parent {
                stack.push((u, v, in_row));
            }
        }
    }
    println!("{restaurants}");
}
