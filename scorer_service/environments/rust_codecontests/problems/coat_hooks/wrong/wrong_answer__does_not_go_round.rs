// Mistake: stops at the last hook instead of going on at hook 1.
use std::collections::BTreeMap;
use std::io::{self, Read};

fn main() {
    let mut input = String::new();
    io::stdin().read_to_string(&mut input).unwrap();
    let mut it = input.split_ascii_whitespace();
    let n: usize = it.next().unwrap().parse().unwrap();
    it.next();
    let mut out = String::new();
    // runs of taken hooks: start to end
    let mut runs: BTreeMap<usize, usize> = BTreeMap::new();

    while let Some(kind) = it.next() {
        let x: usize = it.next().unwrap().parse().unwrap();
        if kind == "H" {
            let mut hook = x;
            if let Some((_, &end)) = runs.range(..=x).next_back() {
                if end >= x {
                    hook = end + 1;
                }
            }
            if hook > n {
                out += "FULL\n";
                continue;
            }
            let end = runs.remove(&(hook + 1)).unwrap_or(hook);
            let start = match runs.range(..hook).next_back() {
                Some((&start, &end)) if end + 1 == hook => start,
                _ => hook,
            };
            runs.insert(start, end);
            out += &format!("{hook}\n");
        } else {
            match runs.range(..=x).next_back() {
                Some((&start, &end)) if end >= x => {
                    runs.remove(&start);
                    if start < x {
                        runs.insert(start, x - 1);
                    }
                    if x < end {
                        runs.insert(x + 1, end);
                    }
                    out += "TAKEN\n";
                }
                _ => out += "EMPTY\n",
            }
        }
    }
    print!("{out}");
}
