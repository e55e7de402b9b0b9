// Mistake: sorts the suffixes by comparing them whole, which is slow where they have long common beginnings.
use std::io::Read;

fn main() {
    let mut input = String::new();
    std::io::stdin().read_to_string(&mut input).unwrap();
    let parts: Vec<&str> = input.split_whitespace().collect();
    let text = parts[0].as_bytes();
    let n = text.len();
    let mut suffixes: Vec<&[u8]> = (0..n).map(|i| &text[i..]).collect();
    suffixes.sort();
    let mut at_least = vec![0u64; n + 2];
    // Groups of neighbours that share their first letters; a stack holds (shared length, first member).
    let mut stack: Vec<(usize, usize)> = Vec::new();
    for i in 0..n {
        let mut shared = 0;
        if i + 1 < n {
            let (a, b) = (suffixes[i], suffixes[i + 1]);
            while shared < a.len() && shared < b.len() && a[shared] == b[shared] {
                shared += 1;
            }
        }
        let mut open = (suffixes[i].len(), i);
        stack.push(open);
        while let Some(&(length, first)) = stack.last() {
            if length <= shared {
                break;
            }
            stack.pop();
            open = (shared, first);
            let below = stack.last().map_or(0, |top| top.0).max(shared);
            at_least[i + 1 - first] += (length - below) as u64;
        }
        if shared > 0 && stack.last().map_or(0, |top| top.0) < shared {
            stack.push((shared, open.1));
        }
    }
    for i in (1..=n).rev() {
        at_least[i] += at_least[i + 1];
    }
    let mut out = String::new();
    for k in &parts[2..] {
        let k: usize = k.parse().unwrap();
        let answer = if k <= n { at_least[k] } else { 0 };
        out += &format!("{}\n", answer);
    }
    print!("{}", out);
}
