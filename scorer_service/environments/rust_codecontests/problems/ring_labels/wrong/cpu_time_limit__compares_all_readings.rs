// Mistake: compares every reading with the best so far letter by letter, which is quadratic for aaa...ab.
use std::collections::BTreeMap;
use std::io::Read;

fn canonical(label: &str) -> String {
    let letters = label.as_bytes();
    let n = letters.len();
    let mut best = 0;
    for start in 1..n {
        for k in 0..n {
            let a = letters[(start + k) % n];
            let b = letters[(best + k) % n];
            if a != b {
                if a < b {
                    best = start;
                }
                break;
            }
        }
    }
    format!("{}{}", &label[best..], &label[..best])
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
