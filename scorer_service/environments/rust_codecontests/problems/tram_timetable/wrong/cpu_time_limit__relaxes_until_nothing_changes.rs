// Mistake: relaxes all lines over and over (Bellman-Ford): O(n m).
use std::io::{self, Read};

fn main() {
    let mut input = String::new();
    io::stdin().read_to_string(&mut input).unwrap();
    let mut it = input
        .split_ascii_whitespace()
        .map(|t| t.parse::<u64>().unwrap());
    let n = it.next().unwrap() as usize;
    let m = it.next().unwrap() as usize;
    let mut lines = Vec::new();
    let mut from = vec![0; m + 1];
    for i in 1..=m {
        from[i] = it.next().unwrap() as usize;
        let v = it.next().unwrap() as usize;
        let s = it.next().unwrap();
        let p = it.next().unwrap();
        let d = it.next().unwrap();
        lines.push((i, v, s, p, d));
    }
    let mut best = vec![u64::MAX; n + 1];
    let mut last = vec![0; n + 1];
    best[1] = 0;
    loop {
        let mut changed = false;
        for &(i, v, s, p, d) in &lines {
            let t = best[from[i]];
            if t == u64::MAX {
                continue;
            }
            let at = if t <= s {
                s + d
            } else {
                s + (t - s + p - 1) / p * p + d
            };
            if at < best[v] {
                best[v] = at;
                last[v] = i;
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
    if best[n] == u64::MAX {
        println!("-1");
        return;
    }
    let mut rides = Vec::new();
    let mut v = n;
    while v != 1 {
        rides.push(last[v].to_string());
        v = from[last[v]];
    }
    rides.reverse();
    println!("{} {}\n{}", best[n], rides.len(), rides.join(" "));
}
