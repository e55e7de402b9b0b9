// Fewest replacements that give the most disjoint occurrences of "abab...".
use std::io::{self, Read};

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let tokens: Vec<&str> = text.split_ascii_whitespace().collect();
    let s = tokens[1].as_bytes();
    let m: usize = tokens[2].parse().unwrap();
    let n = s.len();
    let mut unknown = vec![0usize; n + 1];
    // run[p]: length of the longest suffix that fits the pattern with its last letter "ab"[p].
    let mut run = [0usize; 2];
    // Most occurrences in each prefix, and the replacements they take.
    let mut best = vec![(0usize, 0usize); n + 1];
    for i in 1..=n {
        let letter = s[i - 1];
        unknown[i] = unknown[i - 1] + usize::from(letter == b'?');
        run = [
            if letter == b'b' { 0 } else { run[1] + 1 },
            if letter == b'a' { 0 } else { run[0] + 1 },
        ];
        best[i] = best[i - 1];
        if run[(m + 1) % 2] >= m {
            let (count, replaced) = best[i - m];
            let with = (count + 1, replaced + unknown[i] - unknown[i - m]);
            if with.0 > best[i].0 || with.0 == best[i].0 && with.1 < best[i].1 {
                best[i] = with;
            }
        }
    }
    println!("{}", best[n].1);
}
