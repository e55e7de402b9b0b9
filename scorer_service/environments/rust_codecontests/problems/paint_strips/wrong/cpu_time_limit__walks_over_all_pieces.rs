// Mistake: keeps an ordered map of pieces, but walks over all of them for each look.
use std::collections::BTreeMap;
use std::io::{self, Read};

fn main() {
    let mut input = String::new();
    io::stdin().read_to_string(&mut input).unwrap();
    let mut it = input.split_ascii_whitespace();
    let n: usize = it.next().unwrap().parse().unwrap();
    it.next();
    // start of a piece to its colour
    let mut map = BTreeMap::from([(0, 0u32)]);
    let mut out = String::new();
    while let Some(kind) = it.next() {
        let l = it.next().unwrap().parse::<usize>().unwrap() - 1;
        let r = it.next().unwrap().parse::<usize>().unwrap();
        if kind == "P" {
            let c: u32 = it.next().unwrap().parse().unwrap();
            let after = *map.range(..=r).next_back().unwrap().1;
            let inside: Vec<usize> = map.range(l..r).map(|p| *p.0).collect();
            for start in inside {
                map.remove(&start);
            }
            map.insert(l, c);
            if r < n {
                map.entry(r).or_insert(after);
            }
        } else {
            let (mut count, mut longest, mut length) = (0, 0, 0);
            let mut last = None;
            let first = *map.range(..=l).next_back().unwrap().0;
            let mut pieces = map.range(first..r).peekable();
            while let Some((&start, &c)) = pieces.next() {
                let end = pieces.peek().map_or(r, |p| *p.0);
                if last != Some(c) {
                    count += 1;
                    length = 0;
                }
                last = Some(c);
                length += end - start.max(l);
                longest = longest.max(length);
            }
            out += &format!("{count} {longest}\n");
        }
    }
    print!("{out}");
}
