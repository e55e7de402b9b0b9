// Mistake: takes every step that Kahn's method leaves over for part of one circle.
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
    let mut degree = vec![0; n + 1];
    for _ in 0..m {
        let u = it.next().unwrap();
        let v = it.next().unwrap();
        next[u].push(v);
        degree[v] += 1;
    }
    let mut order: Vec<usize> = (1..=n).filter(|&v| degree[v] == 0).collect();
    let mut i = 0;
    while i < order.len() {
        for &v in &next[order[i]] {
            degree[v] -= 1;
            if degree[v] == 0 {
                order.push(v);
            }
        }
        i += 1;
    }
    let words = |v: &[usize]| {
        v.iter()
            .map(|x| x.to_string())
            .collect::<Vec<_>>()
            .join(" ")
    };
    if order.len() == n {
        println!("ORDER\n{}", words(&order));
    } else {
        let left: Vec<usize> = (1..=n).filter(|&v| degree[v] > 0).collect();
        println!("CYCLE\n{}\n{}", left.len(), words(&left));
    }
}
