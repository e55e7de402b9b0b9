// Mistake: the new road is tried in one direction only
use std::io::{self, Read};

fn distances(graph: &[Vec<usize>], start: usize) -> Vec<i32> {
    let mut dist = vec![-1; graph.len()];
    dist[start] = 0;
    let mut queue = std::collections::VecDeque::from([start]);
    while let Some(v) = queue.pop_front() {
        for &u in &graph[v] {
            if dist[u] < 0 {
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
    let numbers: Vec<usize> = text
        .split_ascii_whitespace()
        .map(|t| t.parse().unwrap())
        .collect();
    let (n, m, s, t) = (numbers[0], numbers[1], numbers[2] - 1, numbers[3] - 1);
    let mut graph = vec![Vec::new(); n];
    let mut linked = vec![vec![false; n]; n];
    for road in numbers[4..4 + 2 * m].chunks(2) {
        let (u, v) = (road[0] - 1, road[1] - 1);
        graph[u].push(v);
        graph[v].push(u);
        linked[u][v] = true;
        linked[v][u] = true;
    }
    let from_s = distances(&graph, s);
    let from_t = distances(&graph, t);
    let mut count = 0;
    for u in 0..n {
        for v in 0..u {
            let detour = from_s[u] + from_t[v] + 1;
            if !linked[u][v] && detour >= from_s[t] {
                count += 1;
            }
        }
    }
    println!("{count}");
}
