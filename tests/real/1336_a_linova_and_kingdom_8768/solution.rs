// Greatest happiness of k envoys: every city gains its depth less the cities below it.
use std::io::{self, Read};

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
    let mut parent = vec![usize::MAX; n];
    let mut depth = vec![0i64; n];
    let mut order = vec![0];
    let mut at = 0;
    while at < n {
        let v = order[at];
        at += 1;
        for &u in &graph[v] {
            if u != parent[v] {
                parent[u] = v;
                depth[u] = depth[v] + 1;
                order.push(u);
            }
        }
    }
    let mut below = vec![0i64; n];
    for &v in order.iter().skip(1).rev() {
        below[parent[v]] += below[v] + 1;
    }
    let mut cities: Vec<usize> = (0..n).collect();
    cities.sort_by_key(|&v| below[v] - depth[v]);
    let happiness: i64 = cities[..k].iter().map(|&v| depth[v] - below[v]).sum();
    println!("{happiness}");
}
