// Mistake: looks for a circle among other steps only; where the sole circle is a note `u u`, unwrap fails.
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
    let mut before = vec![Vec::new(); n + 1];
    let mut degree = vec![0; n + 1];
    for _ in 0..m {
        let u = it.next().unwrap();
        let v = it.next().unwrap();
        next[u].push(v);
        before[v].push(u);
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
        return;
    }
    let mut place = vec![usize::MAX; n + 1];
    let mut walk = Vec::new();
    let mut v = (1..=n).find(|&v| degree[v] > 0).unwrap();
    while place[v] == usize::MAX {
        place[v] = walk.len();
        walk.push(v);
        v = *before[v]
            .iter()
            .find(|&&u| u != v && degree[u] > 0)
            .unwrap();
    }
    let mut circle = walk.split_off(place[v]);
    circle.reverse();
    println!("CYCLE\n{}\n{}", circle.len(), words(&circle));
}
