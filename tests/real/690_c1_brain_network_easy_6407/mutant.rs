// Mistake: only counts the connectors, so a cycle beside a lonely brain is taken for valid
use std::io::{self, Read};

fn find(leader: &mut [usize], mut v: usize) -> usize {
    while leader[v] != v {
        leader[v] = leader[leader[v]];
        v = leader[v];
    }
    v
}

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let numbers: Vec<usize> = text
        .split_ascii_whitespace()
        .map(|t| t.parse().unwrap())
        .collect();
    let (n, m) = (numbers[0], numbers[1]);
    let mut leader: Vec<usize> = (0..=n).collect();
    let valid = m + 1 == n;
    for edge in numbers[2..2 + 2 * m].chunks(2) {
        let (a, b) = (find(&mut leader, edge[0]), find(&mut leader, edge[1]));

        leader[a] = b;
    }
    println!("{}", if valid { "yes" } else { "no" });
}
