// Mistake: the index of the race is not reduced modulo the length of the label.
use std::collections::BTreeMap;
use std::io::Read;

fn canonical(label: &str) -> String {
    let s = label.as_bytes();
    let n = s.len();
    let (mut i, mut j, mut k) = (0, 1, 0);
    while i < n && j < n && k < n {
        if s[i + k] == s[j + k] {
            k += 1;
            continue;
        }
        if s[i + k] > s[j + k] {
            i = (i + k + 1).max(j);
            j = i + 1;
        } else {
            j += k + 1;
        }
        k = 0;
    }
    format!("{}{}", &label[i..], &label[..i])
}

fn main() {
    let mut input = String::new();
    std::io::stdin().read_to_string(&mut input).unwrap();
    let mut counts: BTreeMap<String, u32> = BTreeMap::new();
    for label in input.split_whitespace().skip(1) {
        *counts.entry(canonical(label)).or_insert(0) += 1;
    }
    println!("{}", counts.len());
    let mut best = ("", 0);
    for (label, &count) in &counts {
        if count > best.1 {
            best = (label, count);
        }
    }
    println!("{} {}", best.1, best.0);
}
