// Most bosses between two places: the diameter of the tree of bridges.
use std::io::{self, Read};

// The farthest vertex from `start` and its distance, counting bridges only.
fn farthest(
    graph: &[Vec<usize>],
    bridge: impl Fn(usize, usize) -> bool,
    start: usize,
) -> (usize, usize) {
    let mut dist = vec![usize::MAX; graph.len()];
    dist[start] = 0;
    let mut queue = std::collections::VecDeque::from([start]);
    let mut best = (start, 0);
    while let Some(v) = queue.pop_front() {
        if dist[v] > best.1 {
            best = (v, dist[v]);
        }
        for &u in &graph[v] {
            if dist[u] == usize::MAX {
                if bridge(v, u) {
                    dist[u] = dist[v] + 1;
                    queue.push_back(u);
                } else {
                    dist[u] = dist[v];
                    queue.push_front(u);
                }
            }
        }
    }
    best
}

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let numbers: Vec<usize> = text
        .split_ascii_whitespace()
        .map(|t| t.parse().unwrap())
        .collect();
    let (n, m) = (numbers[0], numbers[1]);
    let mut graph = vec![Vec::new(); n];
    for edge in numbers[2..2 + 2 * m].chunks(2) {
        graph[edge[0] - 1].push(edge[1] - 1);
        graph[edge[1] - 1].push(edge[0] - 1);
    }
    let mut entered = vec![0; n];
    let mut lowest = vec![0; n];
    let mut parent = vec![usize::MAX; n];
    let mut clock = 1;
    entered[0] = 1;
    lowest[0] = 1;
    let mut path = vec![(0, 0)];
    while let Some(top) = path.last_mut() {
        let (v, edge) = *top;
        top.1 += 1;
        match graph[v].get(edge) {
            Some(&u) if entered[u] == 0 => {
                clock += 1;
                entered[u] = clock;
                lowest[u] = clock;
                parent[u] = v;
                path.push((u, 0));
            }
            Some(&u) => {
                if u != parent[v] {
                    lowest[v] = lowest[v].min(entered[u]);
                }
            }
            None => {
                path.pop();
                if let Some(&(p, _)) = path.last() {
                    lowest[p] = lowest[p].min(lowest[v]);
                }
            }
        }
    }
    let below = |v: usize, u: usize| parent[u] == v && lowest[u] > entered[v];
    let bridge = |v: usize, u: usize| below(v, u) || below(u, v);
    let (end, _) = farthest(&graph, bridge, 0);
    println!("{}", farthest(&graph, bridge, end).1);
}
