// Mistake: paints and looks at each plank: O(n q).
use std::io::{self, Read};

fn main() {
    let mut input = String::new();
    io::stdin().read_to_string(&mut input).unwrap();
    let mut it = input.split_ascii_whitespace();
    let n: usize = it.next().unwrap().parse().unwrap();
    it.next();
    let mut colours = vec![0u32; n];
    let mut out = String::new();
    while let Some(kind) = it.next() {
        let l = it.next().unwrap().parse::<usize>().unwrap() - 1;
        let r = it.next().unwrap().parse::<usize>().unwrap();
        if kind == "P" {
            let c: u32 = it.next().unwrap().parse().unwrap();
            colours[l..r].fill(c);
        } else {
            let (mut count, mut longest, mut length) = (0, 0, 0);
            for i in l..r {
                if i == l || colours[i] != colours[i - 1] {
                    count += 1;
                    length = 0;
                }
                length += 1;
                longest = longest.max(length);
            }
            out += &format!("{count} {longest}\n");
        }
    }
    print!("{out}");
}
