// The bandit's catch: the largest average, rounded up, of citizens over the leaves of any subtree.
use std::io::{self, Read};

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let mut tokens = text.split_ascii_whitespace();
    let n: usize = tokens.next().unwrap().parse().unwrap();
    let mut parent = vec![0usize; n];
    for p in parent.iter_mut().skip(1) {
        *p = tokens.next().unwrap().parse::<usize>().unwrap() - 1;
    }
    let mut citizens: Vec<u64> = tokens.take(n).map(|t| t.parse().unwrap()).collect();
    let mut leaves = vec![0u64; n];
    let mut caught = 0;
    for v in (0..n).rev() {
        leaves[v] = leaves[v].max(1);
        caught = caught.max(citizens[v].div_ceil(leaves[v]));
        if v > 0 {
            citizens[parent[v]] += citizens[v];
            leaves[parent[v]] += leaves[v];
        }
    }
    println!("{caught}");
}
