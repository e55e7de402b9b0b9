// Mistake: walks from the village to all others for each need: O(n q).
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
    let mut open = vec![false; n + 1];
    let mut count = 0;
    let mut stack = Vec::new();
    let mut out = String::new();
    while let Some(kind) = it.next() {
        let start: usize = it.next().unwrap().parse().unwrap();
        if kind == "C" {
            count = if open[start] { count - 1 } else { count + 1 };
            open[start] = !open[start];
            continue;
        }
        if count == 0 {
            out += "-1\n";
            continue;
        }
        let mut best = u64::MAX;
        stack.push((start, 0, 0));
        while let Some((v, from, distance)) = stack.pop() {
            if open[v] {
                best = best.min(distance);
                continue;
            }
            for &(to, w) in &roads[v] {
                if to != from && distance + w < best {
                    stack.push((to, v, distance + w));
                }
            }
        }
        out += &format!("{best}\n");
    }
    print!("{out}");
}
