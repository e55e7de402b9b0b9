// Mistake: counts pairs in u32; 100 000 islands make 4 999 950 000 pairs.
use std::io::{self, Read};

fn root(parent: &mut [usize], mut x: usize) -> usize {
    while parent[x] != x {
        parent[x] = parent[parent[x]];
        x = parent[x];
    }
    x
}

fn main() {
    let mut input = String::new();
    io::stdin().read_to_string(&mut input).unwrap();
    let mut it = input
        .split_ascii_whitespace()
        .map(|t| t.parse::<u32>().unwrap());
    let n = it.next().unwrap();
    let m = it.next().unwrap();
    let mut parent: Vec<usize> = (0..=n as usize).collect();
    let mut size = vec![1u32; n as usize + 1];
    let mut pairs = n * (n - 1) / 2;
    let mut out = String::new();
    for _ in 0..m {
        let a = it.next().unwrap() as usize;
        let b = it.next().unwrap() as usize;
        let (mut a, mut b) = (root(&mut parent, a), root(&mut parent, b));
        if a != b {
            if size[a] < size[b] {
                std::mem::swap(&mut a, &mut b);
            }
            pairs -= size[a] * size[b];
            size[a] += size[b];
            parent[b] = a;
        }
        out += &format!("{pairs}\n");
    }
    print!("{out}");
}
