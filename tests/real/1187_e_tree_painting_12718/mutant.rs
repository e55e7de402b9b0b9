// Mistake: moves the first vertex through the tree in the order of numbers, before the parent is done
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
    let mut parent = vec![usize::MAX; n];
    let mut order = vec![0];
    let mut at = 0;
    while at < n {
        let v = order[at];
        at += 1;
        for &u in &graph[v] {
            if u != parent[v] {
                parent[u] = v;
                order.push(u);
            }
        }
    }
    let mut size = vec![1i64; n];
    for &v in order.iter().skip(1).rev() {
        size[parent[v]] += size[v];
    }
    // Moving the first vertex from a parent to its child swaps their two component sizes.
    let mut points = vec![size.iter().sum::<i64>(); n];
    for v in 1..n {
        points[v] = points[parent[v]] + n as i64 - 2 * size[v];
    }
    println!("{}", points.iter().max().unwrap());
}
