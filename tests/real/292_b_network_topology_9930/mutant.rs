// Mistake: takes any network with as many cables as computers for a ring
use std::io::{self, Read};

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let numbers: Vec<usize> = text
        .split_ascii_whitespace()
        .map(|t| t.parse().unwrap())
        .collect();
    let (n, m) = (numbers[0], numbers[1]);
    let mut degree = vec![0; n + 1];
    for &v in &numbers[2..2 + 2 * m] {
        degree[v] += 1;
    }
    let having = |d: usize| degree[1..].iter().filter(|&&x| x == d).count();
    let name = if having(1) == 2 && having(2) == n - 2 {
        "bus"
    } else if m == n {
        "ring"
    } else if having(1) == n - 1 && having(n - 1) == 1 {
        "star"
    } else {
        "unknown"
    };
    println!("{name} topology");
}
