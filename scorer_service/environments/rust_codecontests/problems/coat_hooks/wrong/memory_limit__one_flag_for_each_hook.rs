// Mistake: keeps a flag for each of up to 10^9 hooks.
use std::io::{self, Read};

fn main() {
    let mut input = String::new();
    io::stdin().read_to_string(&mut input).unwrap();
    let mut it = input.split_ascii_whitespace();
    let n: usize = it.next().unwrap().parse().unwrap();
    it.next();
    let mut out = String::new();
    let mut free = vec![true; n + 1];
    let mut coats = 0;
    let block = 1000;
    let mut left = vec![0; n / block + 1];
    for hook in 1..=n {
        left[hook / block] += 1;
    }

    while let Some(kind) = it.next() {
        let x: usize = it.next().unwrap().parse().unwrap();
        if kind == "H" {
            if coats == n {
                out += "FULL\n";
                continue;
            }
            let mut hook = x;
            while !free[hook] {
                hook = if hook % block == 0 && left[hook / block] == 0 {
                    hook + block
                } else {
                    hook + 1
                };
                if hook > n {
                    hook = 1;
                }
            }
            free[hook] = false;
            left[hook / block] -= 1;
            coats += 1;
            out += &format!("{hook}\n");
        } else {
            if free[x] {
                out += "EMPTY\n";
            } else {
                free[x] = true;
                left[x / block] += 1;
                coats -= 1;
                out += "TAKEN\n";
            }
        }
    }
    print!("{out}");
}
