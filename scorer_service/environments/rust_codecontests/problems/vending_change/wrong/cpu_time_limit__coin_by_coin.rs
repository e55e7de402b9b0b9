// Mistake: treats each coin as a 0/1 choice of its own: O(s * number of coins).
use std::io::{self, Read};

fn main() {
    let mut input = String::new();
    io::stdin().read_to_string(&mut input).unwrap();
    let mut it = input
        .split_ascii_whitespace()
        .map(|t| t.parse::<usize>().unwrap());
    let n = it.next().unwrap();
    let s = it.next().unwrap();
    let mut best = vec![u32::MAX / 2; s + 1];
    best[0] = 0;
    for _ in 0..n {
        let d = it.next().unwrap();
        let c = it.next().unwrap().min(s / d);
        for _ in 0..c {
            for x in (d..=s).rev() {
                best[x] = best[x].min(best[x - d] + 1);
            }
        }
    }
    if best[s] >= u32::MAX / 2 {
        println!("-1");
    } else {
        println!("{}", best[s]);
    }
}
