// Mistake: only compares the numbers of friends within a component, so a ring of four passes
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
    let mut friends = vec![0; n + 1];
    for pair in numbers[2..2 + 2 * m].chunks(2) {
        friends[pair[0]] += 1;
        friends[pair[1]] += 1;
        let (a, b) = (find(&mut leader, pair[0]), find(&mut leader, pair[1]));
        leader[a] = b;
    }
    let mut size = vec![0; n + 1];
    for v in 1..=n {
        size[find(&mut leader, v)] += 1;
    }
    let reasonable = (1..=n).all(|v| friends[v] == friends[find(&mut leader, v)]);
    println!("{}", if reasonable { "YES" } else { "NO" });
}
