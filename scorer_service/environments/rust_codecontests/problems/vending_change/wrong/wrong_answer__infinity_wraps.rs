// Mistake: adds coins to u32::MAX as infinity, which wraps round to a small number in a release build.
use std::io::{self, Read};

fn main() {
    let mut input = String::new();
    io::stdin().read_to_string(&mut input).unwrap();
    let mut it = input
        .split_ascii_whitespace()
        .map(|t| t.parse::<usize>().unwrap());
    let n = it.next().unwrap();
    let s = it.next().unwrap();
    let mut best = vec![u32::MAX; s + 1];
    best[0] = 0;
    for _ in 0..n {
        let d = it.next().unwrap();
        let mut c = it.next().unwrap().min(s / d);
        let mut k = 1;
        while c > 0 {
            let take = k.min(c);
            for x in (take * d..=s).rev() {
                best[x] = best[x].min(best[x - take * d] + take as u32);
            }
            c -= take;
            k *= 2;
        }
    }
    println!("{}", best[s] as i32);
}
