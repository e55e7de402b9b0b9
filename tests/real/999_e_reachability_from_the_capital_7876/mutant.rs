// Mistake: builds roads in the order of city numbers, so a city may get one that a later road makes needless
use std::io::{self, Read};

// Visits everything reachable from `start`; appends vertices to `done` as they are left.
fn search(graph: &[Vec<usize>], seen: &mut [bool], start: usize, done: &mut Vec<usize>) {
    if seen[start] {
        return;
    }
    seen[start] = true;
    let mut path = vec![(start, 0)];
    while let Some(top) = path.last_mut() {
        let (v, edge) = *top;
        top.1 += 1;
        match graph[v].get(edge) {
            Some(&u) if !seen[u] => {
                seen[u] = true;
                path.push((u, 0));
            }
            Some(_) => {}
            None => {
                done.push(v);
                path.pop();
            }
        }
    }
}

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let numbers: Vec<usize> = text
        .split_ascii_whitespace()
        .map(|t| t.parse().unwrap())
        .collect();
    let (n, m, capital) = (numbers[0], numbers[1], numbers[2] - 1);
    let mut graph = vec![Vec::new(); n];
    for road in numbers[3..3 + 2 * m].chunks(2) {
        graph[road[0] - 1].push(road[1] - 1);
    }
    let mut done = Vec::new();
    let mut seen = vec![false; n];
    for v in 0..n {
        search(&graph, &mut seen, v, &mut done);
    }
    let mut ignored = Vec::new();
    let mut reached = vec![false; n];
    search(&graph, &mut reached, capital, &mut ignored);
    let mut roads = 0;
    for v in 0..n {
        if !reached[v] {
            roads += 1;
            search(&graph, &mut reached, v, &mut ignored);
        }
    }
    println!("{roads}");
}
