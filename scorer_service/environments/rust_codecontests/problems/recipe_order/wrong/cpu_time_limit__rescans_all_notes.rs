// Mistake: scans all notes again for each step taken: O(n m).
use std::io::{self, Read};

fn main() {
    let mut input = String::new();
    io::stdin().read_to_string(&mut input).unwrap();
    let mut it = input
        .split_ascii_whitespace()
        .map(|t| t.parse::<usize>().unwrap());
    let n = it.next().unwrap();
    let m = it.next().unwrap();
    let notes: Vec<(usize, usize)> = (0..m)
        .map(|_| (it.next().unwrap(), it.next().unwrap()))
        .collect();
    let words = |v: &[usize]| {
        v.iter()
            .map(|x| x.to_string())
            .collect::<Vec<_>>()
            .join(" ")
    };
    let mut taken = vec![false; n + 1];
    let mut order = Vec::new();
    loop {
        let mut blocked = taken.clone();
        for &(u, v) in &notes {
            if !taken[u] {
                blocked[v] = true;
            }
        }
        match (1..=n).find(|&v| !blocked[v]) {
            Some(v) => {
                taken[v] = true;
                order.push(v);
            }
            None => break,
        }
    }
    if order.len() == n {
        println!("ORDER\n{}", words(&order));
        return;
    }
    let mut walk = Vec::new();
    let mut v = (1..=n).find(|&v| !taken[v]).unwrap();
    while !walk.contains(&v) {
        walk.push(v);
        v = notes.iter().find(|&&(a, b)| b == v && !taken[a]).unwrap().0;
    }
    let from = walk.iter().position(|&x| x == v).unwrap();
    let mut circle = walk.split_off(from);
    circle.reverse();
    println!("CYCLE\n{}\n{}", circle.len(), words(&circle));
}
