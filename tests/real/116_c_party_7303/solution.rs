// Fewest groups without a superior and an inferior together: the longest chain of managers.
use std::io::{self, Read};

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let manager: Vec<Option<usize>> = text
        .split_ascii_whitespace()
        .skip(1)
        .map(|t| t.parse::<usize>().ok())
        .collect();
    let mut groups = 0;
    for employee in 0..manager.len() {
        let mut chain = 1;
        let mut at = employee;
        while let Some(superior) = manager[at] {
            chain += 1;
            at = superior - 1;
        }
        groups = groups.max(chain);
    }
    println!("{groups}");
}
