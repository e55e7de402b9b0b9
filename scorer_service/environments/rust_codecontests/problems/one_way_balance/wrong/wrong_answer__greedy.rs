// Directs each street at once, from the end with more entering streets to the other one: later streets break it.
use std::io::{self, Read};

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let v: Vec<usize> = text
        .split_ascii_whitespace()
        .map(|t| t.parse().unwrap())
        .collect();
    let mut surplus = vec![0i32; v[0] + 1];
    let mut out = String::new();
    for street in v[2..].chunks(2) {
        let (a, b) = (street[0], street[1]);
        if surplus[a] > surplus[b] {
            surplus[a] -= 1;
            surplus[b] += 1;
            out.push('>');
        } else {
            surplus[b] -= 1;
            surplus[a] += 1;
            out.push('<');
        }
    }
    println!("{}", out);
}
