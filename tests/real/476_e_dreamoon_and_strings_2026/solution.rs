// Most disjoint copies of a pattern after removing exactly x characters, for every x.
use std::io::{self, Read};

const IMPOSSIBLE: i32 = i32::MIN / 2;

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let mut tokens = text.split_ascii_whitespace();
    let s = tokens.next().unwrap().as_bytes();
    let p = tokens.next().unwrap().as_bytes();
    let n = s.len();
    // copies[i][x]: the best for the first i characters with x of them removed.
    let mut copies = vec![vec![IMPOSSIBLE; n + 1]; n + 1];
    copies[0][0] = 0;
    for i in 1..=n {
        for x in 0..=i {
            let removed = if x > 0 {
                copies[i - 1][x - 1]
            } else {
                IMPOSSIBLE
            };
            copies[i][x] = copies[i - 1][x].max(removed);
        }
        // The latest start of a copy that ends at i.
        let mut start = i;
        let mut missing = p.len();
        while start > 0 && missing > 0 {
            start -= 1;
            if s[start] == p[missing - 1] {
                missing -= 1;
            }
        }
        if missing == 0 {
            let gaps = i - start - p.len();
            for x in gaps..=i {
                copies[i][x] = copies[i][x].max(copies[start][x - gaps] + 1);
            }
        }
    }
    let row: Vec<String> = copies[n].iter().map(ToString::to_string).collect();
    println!("{}", row.join(" "));
}
