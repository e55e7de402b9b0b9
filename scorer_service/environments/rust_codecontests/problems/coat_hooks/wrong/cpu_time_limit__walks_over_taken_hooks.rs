// Mistake: walks over taken hooks one by one: O(q^2) when all guests come in at one hook.
use std::collections::HashSet;
use std::io::{self, Read};

fn main() {
    let mut input = String::new();
    io::stdin().read_to_string(&mut input).unwrap();
    let mut it = input.split_ascii_whitespace();
    let n: usize = it.next().unwrap().parse().unwrap();
    it.next();
    let mut out = String::new();
    let mut taken = HashSet::new();

    while let Some(kind) = it.next() {
        let x: usize = it.next().unwrap().parse().unwrap();
        if kind == "H" {
            if taken.len() == n {
                out += "FULL\n";
                continue;
            }
            let mut hook = x;
            while taken.contains(&hook) {
                hook = hook % n + 1;
            }
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
