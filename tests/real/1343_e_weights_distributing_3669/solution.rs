// Cheapest trip a-b-c when prices may be laid out freely: cheap ones on the part travelled twice.
use std::collections::VecDeque;
use std::io::{self, Read};

fn distances(graph: &[Vec<usize>], start: usize) -> Vec<usize> {
    let mut dist = vec![usize::MAX; graph.len()];
    dist[start] = 0;
    let mut queue = VecDeque::from([start]);
    while let Some(v) = queue.pop_front() {
        for &u in &graph[v] {
            if dist[u] == usize::MAX {
                dist[u] = dist[v] + 1;
                queue.push_back(u);
            }
        }
    }
    dist
}

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let mut numbers = text
        .split_ascii_whitespace()
        .map(|t| t.parse::<usize>().unwrap());
    let mut next = move || numbers.next().unwrap();
    for _ in 0..next() {
        let (n, m) = (next(), next());
        let (a, b, c) = (next() - 1, next() - 1, next() - 1);
        let mut prices: Vec<usize> = (0..m).map(|_| next()).collect();
        prices.sort_unstable();
        let mut cheapest = vec![0];
        for (i, price) in prices.iter().enumerate() {
            cheapest.push(cheapest[i] + price);
        }
        let mut graph = vec![Vec::new(); n];
        for _ in 0..m {
            let (u, v) = (next() - 1, next() - 1);
            graph[u].push(v);
            graph[v].push(u);
        }
        let (from_a, from_b, from_c) = (
            distances(&graph, a),
            distances(&graph, b),
            distances(&graph, c),
        );
        let best = (0..n)
            .filter(|&v| from_a[v] + from_b[v] + from_c[v] <= m)
            .map(|v| cheapest[from_b[v]] + cheapest[from_a[v] + from_b[v] + from_c[v]])
            .min();
        println!("{}", best.unwrap());
    }
}
