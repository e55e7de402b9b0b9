// Mistake: collects all readings of a label as strings and takes the smallest.
use std::collections::BTreeMap;
use std::io::Read;

fn canonical(label: &str) -> String {
    let mut readings = Vec::new();
    for start in 0..label.len() {
        readings.push(format!("{}{}", &label[start..], &label[..start]));
    }
    readings.sort();
    readings[0].clone()
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
