// Groups of t actors with at least four boys and a girl.
use std::io;

fn choose(n: u64, k: u64) -> u64 {
    if k > n {
        return 0;
    }
    (1..=k).fold(1, |product, i| product * (n + 1 - i) / i)
}

fn main() {
    let mut line = String::new();
    io::stdin().read_line(&mut line).unwrap();
    let numbers: Vec<u64> = line
        .split_ascii_whitespace()
        .map(|t| t.parse().unwrap())
        .collect();
    let (boys, girls, actors) = (numbers[0], numbers[1], numbers[2]);
    let ways: u64 = (4..actors)
        .map(|b| choose(boys, b) * choose(girls, actors - b))
        .sum();
    println!("{ways}");
}
