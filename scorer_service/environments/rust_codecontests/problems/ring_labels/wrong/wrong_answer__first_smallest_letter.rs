// Mistake: starts the reading at the first smallest letter, though another one may be followed by less.
use std::collections::BTreeMap;
use std::io::Read;

fn canonical(label: &str) -> String {
    let smallest = label.chars().min().unwrap();
    let best = label.find(smallest).unwrap();
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
