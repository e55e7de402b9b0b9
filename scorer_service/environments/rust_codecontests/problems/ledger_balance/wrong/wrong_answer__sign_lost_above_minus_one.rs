// Mistake: prints cents / 100 with its sign, which is lost for balances between -0.99 and -0.01.
use std::collections::BTreeMap;
use std::io::Read;

fn cents(text: &str) -> i64 {
    let text = text.replace(',', "");
    let mut parts = text.split('.');
    let whole: i64 = parts.next().unwrap().parse().unwrap();
    let decimals = parts.next().unwrap_or("0");
    let mut rest: i64 = decimals.parse().unwrap();
    if decimals.len() == 1 {
        rest *= 10;
    }
    whole * 100 + rest
}

fn main() {
    let mut input = String::new();
    std::io::stdin().read_to_string(&mut input).unwrap();
    let mut lines = input.lines();
    lines.next();
    let mut done: Vec<(String, String, i64)> = Vec::new();
    let mut balances: BTreeMap<String, i64> = BTreeMap::new();
    for line in lines {
        let words: Vec<&str> = line.split('#').next().unwrap().split_whitespace().collect();
        let entry = if words.is_empty() {
            (String::new(), String::new(), 0)
        } else if words[0] == "void" {
            let k: usize = words[1].parse().unwrap();
            let (from, to, value) = done[k - 1].clone();
            (to, from, value)
        } else {
            let value = cents(words[words.len() - 1]);
            match words[0] {
                "in" => (String::new(), words[1].to_string(), value),
                "out" => (words[1].to_string(), String::new(), value),
                _ => (words[1].to_string(), words[2].to_string(), value),
            }
        };
        *balances.entry(entry.0.clone()).or_insert(0) -= entry.2;
        *balances.entry(entry.1.clone()).or_insert(0) += entry.2;
        done.push(entry);
    }
    let mut any = false;
    for (name, value) in &balances {
        if !name.is_empty() && *value != 0 {
            any = true;
            println!("{} {}.{:02}", name, value / 100, (value % 100).abs());
        }
    }
    if !any {
        println!("settled");
    }
}
