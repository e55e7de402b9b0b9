// Most edges that keep the countries apart: all free nodes join the largest country.
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
    let (n, m, k) = (numbers[0], numbers[1], numbers[2]);
    let mut leader: Vec<usize> = (0..=n).collect();
    for edge in numbers[3 + k..3 + k + 2 * m].chunks(2) {
        let (u, v) = (find(&mut leader, edge[0]), find(&mut leader, edge[1]));
        leader[u] = v;
    }
    let mut size = vec![0; n + 1];
    for v in 1..=n {
        size[find(&mut leader, v)] += 1;
    }
    let mut countries: Vec<usize> = numbers[3..3 + k]
        .iter()
        .map(|&c| size[find(&mut leader, c)])
        .collect();
    let free = n - countries.iter().sum::<usize>();
    *countries.iter_mut().max().unwrap() += free;
    let possible: usize = countries.iter().map(|&c| c * (c - 1) / 2).sum();
    println!("{}", possible - m);
}
