// Mistake: walks through the whole network again after each opening: O(m (n + m)).
use std::io::{self, Read};

fn main() {
    let mut input = String::new();
    io::stdin().read_to_string(&mut input).unwrap();
    let mut it = input
        .split_ascii_whitespace()
        .map(|t| t.parse::<usize>().unwrap());
    let n = it.next().unwrap();
    let m = it.next().unwrap();
    let mut lines = vec![Vec::new(); n];
    let mut out = String::new();
    for _ in 0..m {
        let u = it.next().unwrap() - 1;
        let v = it.next().unwrap() - 1;
        lines[u].push(v);
        lines[v].push(u);
        let mut seen = vec![false; n];
        let mut pairs = n * (n - 1) / 2;
        let mut stack = Vec::new();
        for start in 0..n {
            if seen[start] {
                continue;
            }
            seen[start] = true;
            stack.push(start);
            let mut size = 0;
            while let Some(x) = stack.pop() {
                size += 1;
                for &y in &lines[x] {
                    if !seen[y] {
                        seen[y] = true;
                        stack.push(y);
                    }
                }
            }
            pairs -= size * (size - 1) / 2;
        }
        out += &format!("{pairs}\n");
    }
    print!("{out}");
}
