// Mistake: the second descent is lost when a better one replaces the first
use std::io::{self, Read};

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let mut numbers = text
        .split_ascii_whitespace()
        .map(|t| t.parse::<i64>().unwrap());
    let mut next = move || numbers.next().unwrap();
    let n = next() as usize;
    let gasoline: Vec<i64> = (0..n).map(|_| next()).collect();
    let mut graph = vec![Vec::new(); n];
    for _ in 1..n {
        let (u, v, length) = (next() as usize - 1, next() as usize - 1, next());
        graph[u].push((v, length));
        graph[v].push((u, length));
    }
    let mut order = vec![(0, usize::MAX, 0)];
    let mut at = 0;
    while at < order.len() {
        let (v, parent, _) = order[at];
        at += 1;
        for &(u, length) in &graph[v] {
            if u != parent {
                order.push((u, v, length));
            }
        }
    }
    let mut best = vec![[0i64; 2]; n];
    let mut answer = 0;
    for &(v, parent, length) in order.iter().rev() {
        answer = answer.max(gasoline[v] + best[v][0] + best[v][1]);
        if parent != usize::MAX {
            let descent = gasoline[v] + best[v][0] - length;
            if descent > best[parent][0] {
                best[parent][0] = descent;
            } else {
                best[parent][1] = best[parent][1].max(descent);
            }
        }
    }
    println!("{answer}");
}
