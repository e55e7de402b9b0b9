// Mistake: takes for granted that stop n can be reached; the search for the last ride fails where it cannot.
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io::{self, Read};

fn main() {
    let mut input = String::new();
    io::stdin().read_to_string(&mut input).unwrap();
    let mut it = input
        .split_ascii_whitespace()
        .map(|t| t.parse::<u64>().unwrap());
    let n = it.next().unwrap() as usize;
    let m = it.next().unwrap() as usize;
    let mut next = vec![Vec::new(); n + 1];
    let mut from = vec![0; m + 1];
    for i in 1..=m {
        from[i] = it.next().unwrap() as usize;
        let v = it.next().unwrap() as usize;
        let s = it.next().unwrap();
        let p = it.next().unwrap();
        let d = it.next().unwrap();
        next[from[i]].push((i, v, s, p, d));
    }
    let mut best = vec![u64::MAX; n + 1];
    let mut last: Vec<Option<usize>> = vec![None; n + 1];
    best[1] = 0;
    let mut heap = BinaryHeap::new();
    heap.push(Reverse((0, 1)));
    while let Some(Reverse((t, u))) = heap.pop() {
        if t != best[u] {
            continue;
        }
        for &(i, v, s, p, d) in &next[u] {
            let at = if t <= s {
                s + d
            } else {
                s + (t - s + p - 1) / p * p + d
            };
            if at < best[v] {
                best[v] = at;
                last[v] = Some(i);
                heap.push(Reverse((at, v)));
            }
        }
    }
    let mut rides = Vec::new();
    let mut v = n;
    while v != 1 {
        let ride = last[v].unwrap();
        rides.push(ride.to_string());
        v = from[ride];
    }
    rides.reverse();
    println!("{} {}\n{}", best[n], rides.len(), rides.join(" "));
}
