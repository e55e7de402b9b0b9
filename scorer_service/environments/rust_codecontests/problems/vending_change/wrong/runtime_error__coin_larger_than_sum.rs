// Mistake: computes s - d for a coin larger than the sum; usize wraps and the index is out of bounds.
use std::io::{self, Read};

fn main() {
    let mut input = String::new();
    io::stdin().read_to_string(&mut input).unwrap();
    let mut it = input
        .split_ascii_whitespace()
        .map(|t| t.parse::<usize>().unwrap());
    let n = it.next().unwrap();
    let s = it.next().unwrap();
    let mut best = vec![i64::MAX / 2; s + 1];
    best[0] = 0;
    for _ in 0..n {
        let d = it.next().unwrap();
        let c = it.next().unwrap();
        if c == 0 || s == 0 {
            continue;
        }
        let mut left = c.min((s / d).max(1));
        let mut k = 1;
        while left > 0 {
            let take = k.min(left);
            for x in (0..=s - take * d).rev() {
                let to = x + take * d;
                best[to] = best[to].min(best[x] + take as i64);
            }
            left -= take;
            k *= 2;
        }
    }
    if best[s] >= i64::MAX / 2 {
        println!("-1");
    } else {
        println!("{}", best[s]);
    }
}
