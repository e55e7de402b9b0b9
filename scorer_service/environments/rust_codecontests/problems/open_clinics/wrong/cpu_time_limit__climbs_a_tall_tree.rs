// Mistake: keeps a heap for each subtree and climbs to the root, which is O(n) on a tall tree.
use std::collections::BTreeSet;
use std::io::{self, Read};

fn main() {
    let mut input = String::new();
    io::stdin().read_to_string(&mut input).unwrap();
    let mut it = input.split_ascii_whitespace();
    let n: usize = it.next().unwrap().parse().unwrap();
    it.next();
    let mut roads = vec![Vec::new(); n + 1];
    for _ in 1..n {
        let u: usize = it.next().unwrap().parse().unwrap();
        let v: usize = it.next().unwrap().parse().unwrap();
        let w: u64 = it.next().unwrap().parse().unwrap();
        roads[u].push((v, w));
        roads[v].push((u, w));
    }
    let mut parent = vec![(0, 0); n + 1];
    let mut stack = vec![1];
    while let Some(v) = stack.pop() {
        for &(to, w) in &roads[v] {
            if to != parent[v].0 {
                parent[to] = (v, w);
                stack.push(to);
            }
        }
    }
    let mut open = vec![false; n + 1];
    let mut below = vec![BTreeSet::new(); n + 1];
    let mut out = String::new();
    while let Some(kind) = it.next() {
        let start: usize = it.next().unwrap().parse().unwrap();
        let (mut v, mut distance) = (start, 0);
        let mut best = u64::MAX;
        while v != 0 {
            if kind == "N" {
                if let Some(&(more, _)) = below[v].first() {
                    best = best.min(distance + more);
                }
            } else if open[start] {
                below[v].remove(&(distance, start));
            } else {
                below[v].insert((distance, start));
            }
            distance += parent[v].1;
            v = parent[v].0;
        }
        if kind == "C" {
            open[start] = !open[start];
        } else if best == u64::MAX {
            out += "-1\n";
        } else {
            out += &format!("{best}\n");
        }
    }
    print!("{out}");
}
