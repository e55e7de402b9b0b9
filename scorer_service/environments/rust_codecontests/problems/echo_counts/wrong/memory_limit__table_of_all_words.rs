// Mistake: counts all words of the text in a hash map of strings.
use std::collections::HashMap;
use std::io::Read;

fn main() {
    let mut input = String::new();
    std::io::stdin().read_to_string(&mut input).unwrap();
    let parts: Vec<&str> = input.split_whitespace().collect();
    let text = parts[0].as_bytes();
    let n = text.len();
    let mut counts: HashMap<Vec<u8>, usize> = HashMap::new();
    for start in 0..n {
        for end in start + 1..=n {
            *counts.entry(text[start..end].to_vec()).or_insert(0) += 1;
        }
    }
    let mut at_least = vec![0u64; n + 2];
    for &count in counts.values() {
        at_least[count] += 1;
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
