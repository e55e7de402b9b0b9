// Mistake: takes a box that is not empty for an endless supply.
use std::io::{self, Read};

fn main() {
    let mut input = String::new();
    io::stdin().read_to_string(&mut input).unwrap();
    let mut it = input
        .split_ascii_whitespace()
        .map(|t| t.parse::<usize>().unwrap());
    let n = it.next().unwrap();
    let s = it.next().unwrap();
    let mut best = vec![usize::MAX; s + 1];
    best[0] = 0;
    for _ in 0..n {
        let d = it.next().unwrap();
        let c = it.next().unwrap();
        if c == 0 {
            continue;
        }
        for x in d..=s {
            if best[x - d] != usize::MAX {
                best[x] = best[x].min(best[x - d] + 1);
            }
        }
    }
    if best[s] == usize::MAX {
        println!("-1");
    } else {
        println!("{}", best[s]);
    }
}
