// Mistake: keeps the accounts in a list and searches it from the start for every entry.
use std::io::Read;

struct Account {
    name: String,
    cents: i64,
}

fn cents(text: &str) -> i64 {
    let text = text.replace(',', "");
    let (whole, decimals) = text.split_once('.').unwrap_or((&text, "0"));
    let rest: i64 = decimals.parse().unwrap();
    whole.parse::<i64>().unwrap() * 100 + if decimals.len() == 1 { rest * 10 } else { rest }
}

fn add(accounts: &mut Vec<Account>, name: &str, cents: i64) {
    for account in accounts.iter_mut() {
        if account.name == name {
            account.cents += cents;
            return;
        }
    }
    accounts.push(Account {
        name: name.to_string(),
        cents,
    });
}

fn main() {
    let mut input = String::new();
    std::io::stdin().read_to_string(&mut input).unwrap();
    let lines: Vec<&str> = input.lines().collect();
    let mut accounts = Vec::new();
    for line in &lines[1..] {
        let mut words: Vec<&str> = line.split('#').next().unwrap().split_whitespace().collect();
        let mut sign = 1;
        if words.is_empty() {
            continue;
        }
        if words[0] == "void" {
            let k: usize = words[1].parse().unwrap();
            words = lines[k]
                .split('#')
                .next()
                .unwrap()
                .split_whitespace()
                .collect();
            sign = -1;
        }
        let value = sign * cents(words[words.len() - 1]);
        if words[0] != "in" {
            add(&mut accounts, words[1], -value);
        }
        if words[0] != "out" {
            add(&mut accounts, words[words.len() - 2], value);
        }
    }
    accounts.retain(|account| account.cents != 0);
    if accounts.is_empty() {
        println!("settled");
    }
    for account in &accounts {
        let sign = if account.cents < 0 { "-" } else { "" };
        let cents = account.cents.abs();
        println!(
            "{} {}{}.{:02}",
            account.name,
            sign,
            cents / 100,
            cents % 100
        );
    }
}
