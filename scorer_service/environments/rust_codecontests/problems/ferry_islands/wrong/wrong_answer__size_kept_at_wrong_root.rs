// Mistake: adds up the sizes of the two islands named in the line, not of the roots of their groups.
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
        .map(|t| t.parse::<usize>().unwrap());
    let n = it.next().unwrap();
    let m = it.next().unwrap();
    let mut parent: Vec<usize> = (0..=n).collect();
    let mut size = vec![1i64; n + 1];
    let mut pairs = n as i64 * (n as i64 - 1) / 2;
    let mut out = String::new();
    for _ in 0..m {
        let u = it.next().unwrap();
        let v = it.next().unwrap();
        let (a, b) = (root(&mut parent, u), root(&mut parent, v));
        if a != b {
            pairs -= size[u] * size[v];
            size[b] = size[u] + size[v];
            parent[a] = b;
        }
        out += &format!("{pairs}\n");
    }
    print!("{out}");
}
