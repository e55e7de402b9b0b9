// Adds to vertices within a depth of an ancestor: a difference array over depths along the current path.
use std::fmt::Write;
use std::io::{self, Read};

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let mut numbers = text
        .split_ascii_whitespace()
        .map(|t| t.parse::<usize>().unwrap());
    let mut next = move || numbers.next().unwrap();
    let n = next();
    let mut graph = vec![Vec::new(); n];
    for _ in 1..n {
        let (x, y) = (next() - 1, next() - 1);
        graph[x].push(y);
        graph[y].push(x);
    }
    let mut queries = vec![Vec::new(); n];
    for _ in 0..next() {
        let v = next() - 1;
        queries[v].push((next(), next() as i64));
    }
    let mut value = vec![0i64; n];
    let mut change = vec![0i64; n + 2];
    // (vertex, parent, depth, sum of changes above, entering or leaving)
    let mut stack = vec![(0, usize::MAX, 0, 0, true)];
    while let Some((v, parent, depth, above, entering)) = stack.pop() {
        let sign = if entering { 1 } else { -1 };
        for &(reach, x) in &queries[v] {
            change[depth] += sign * x;
            change[(depth + reach + 1).min(n + 1)] -= sign * x;
        }
        if !entering {
            continue;
        }
        value[v] = above + change[depth];
        stack.push((v, parent, depth, above, false));
        for &u in &graph[v] {
            if u != parent {
                stack.push((u, v, depth + 1, value[v], true));
            }
        }
    }
    let mut out = String::new();
    for x in value {
        write!(out, "{x} ").unwrap();
    }
    println!("{}", out.trim_end());
}
