// Mistake: takes each edge to a step that was visited before for a circle, though it may be finished already.
use std::io::{self, Read};

fn main() {
    let mut input = String::new();
    io::stdin().read_to_string(&mut input).unwrap();
    let mut it = input
        .split_ascii_whitespace()
        .map(|t| t.parse::<usize>().unwrap());
    let n = it.next().unwrap();
    let m = it.next().unwrap();
    let mut next = vec![Vec::new(); n + 1];
    for _ in 0..m {
        let u = it.next().unwrap();
        let v = it.next().unwrap();
        next[u].push(v);
    }
    let words = |v: &[usize]| {
        v.iter()
            .map(|x| x.to_string())
            .collect::<Vec<_>>()
            .join(" ")
    };
    let mut visited = vec![false; n + 1];
    let mut edge = vec![0; n + 1];
    let mut order = Vec::new();
    for s in 1..=n {
        if visited[s] {
            continue;
        }
        visited[s] = true;
        let mut stack = vec![s];
        while let Some(&u) = stack.last() {
            if edge[u] == next[u].len() {
                order.push(u);
                stack.pop();
                continue;
            }
            let v = next[u][edge[u]];
            edge[u] += 1;
            if visited[v] {
                if let Some(from) = stack.iter().position(|&x| x == v) {
                    let circle = &stack[from..];
                    println!("CYCLE\n{}\n{}", circle.len(), words(circle));
                } else {
                    println!("CYCLE\n{}\n{}", stack.len(), words(&stack));
                }
                return;
            }
            visited[v] = true;
            stack.push(v);
        }
    }
    order.reverse();
    println!("ORDER\n{}", words(&order));
}
