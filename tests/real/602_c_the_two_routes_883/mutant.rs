// Mistake: always searches the roads, as if the direct link were always a railway
use std::collections::VecDeque;
use std::io::{self, Read};

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let numbers: Vec<usize> = text
        .split_ascii_whitespace()
        .map(|t| t.parse().unwrap())
        .collect();
    let (n, m) = (numbers[0], numbers[1]);
    let mut railway = vec![vec![false; n]; n];
    for line in numbers[2..2 + 2 * m].chunks(2) {
        railway[line[0] - 1][line[1] - 1] = true;
        railway[line[1] - 1][line[0] - 1] = true;
    }
    let train_is_direct = true;
    let mut hours = vec![-1; n];
    hours[0] = 0;
    let mut queue = VecDeque::from([0]);
    while let Some(v) = queue.pop_front() {
        for u in 0..n {
            if hours[u] < 0 && railway[v][u] != train_is_direct {
                hours[u] = hours[v] + 1;
                queue.push_back(u);
            }
        }
    }
    println!("{}", hours[n - 1]);
}
