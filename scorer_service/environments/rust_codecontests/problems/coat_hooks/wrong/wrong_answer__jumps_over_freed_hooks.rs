// Mistake: follows union-find pointers to the next free hook, which are never undone when a coat is taken.
use std::collections::{HashMap, HashSet};
use std::io::{self, Read};

fn main() {
    let mut input = String::new();
    io::stdin().read_to_string(&mut input).unwrap();
    let mut it = input.split_ascii_whitespace();
    let n: usize = it.next().unwrap().parse().unwrap();
    it.next();
    let mut out = String::new();
    let mut taken = HashSet::new();
    let mut next: HashMap<usize, usize> = HashMap::new();

    while let Some(kind) = it.next() {
        let x: usize = it.next().unwrap().parse().unwrap();
        if kind == "H" {
            if next.len() == n {
                out += "FULL\n";
                continue;
            }
            let mut path = Vec::new();
            let mut hook = x;
            while let Some(&beyond) = next.get(&hook) {
                path.push(hook);
                hook = beyond;
            }
            for p in path {
                next.insert(p, hook);
            }
            next.insert(hook, hook % n + 1);
            taken.insert(hook);
            out += &format!("{hook}\n");
        } else {
            out += if taken.remove(&x) {
                "TAKEN\n"
            } else {
                "EMPTY\n"
            };
        }
    }
    print!("{out}");
}
