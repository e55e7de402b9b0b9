// Mistake: makes the fullest shelf as thin as possible, which does not make the sum of squares smallest.
use std::io::{self, Read};

fn main() {
    let mut input = String::new();
    io::stdin().read_to_string(&mut input).unwrap();
    let mut it = input
        .split_ascii_whitespace()
        .map(|t| t.parse::<i64>().unwrap());
    let n = it.next().unwrap() as usize;
    let k = it.next().unwrap() as usize;
    let mut p = vec![0i64];
    for i in 0..n {
        p.push(p[i] + it.next().unwrap());
    }
    let fill = |limit: i64| {
        let mut shelves = vec![0i64];
        for i in 0..n {
            let a = p[i + 1] - p[i];
            let last = shelves.len() - 1;
            if i > 0 && (shelves[last] + a > limit || shelves.len() + (n - i) == k) {
                shelves.push(a);
            } else {
                shelves[last] += a;
            }
        }
        shelves
    };
    let mut low = (0..n).map(|i| p[i + 1] - p[i]).max().unwrap();
    let mut high = p[n];
    while low < high {
        let mid = (low + high) / 2;
        if fill(mid).len() <= k {
            high = mid;
        } else {
            low = mid + 1;
        }
    }
    println!("{}", fill(low).iter().map(|w| w * w).sum::<i64>());
}
