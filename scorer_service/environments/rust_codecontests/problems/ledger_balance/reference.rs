// Keeps amounts as whole hundredths in i64 and remembers what each line moved, so that `void` can
// apply the opposite; the balances live in an ordered map from name to hundredths.
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, Read, Write as _};

type Effect<'a> = [(&'a str, i64); 2];

fn hundredths(amount: &str) -> i64 {
    let (whole, decimals) = amount.split_once('.').unwrap_or((amount, ""));
    let mut value = 0;
    for digit in whole.bytes().filter(u8::is_ascii_digit) {
        value = value * 10 + i64::from(digit - b'0');
    }
    let mut decimals = decimals.bytes();
    for _ in 0..2 {
        value = value * 10 + i64::from(decimals.next().unwrap_or(b'0') - b'0');
    }
    value
}

fn main() {
    let mut input = String::new();
    io::stdin()
        .read_to_string(&mut input)
        .expect("input is text");
    let mut lines = input.lines();
    lines.next();
    let mut effects: Vec<Effect> = Vec::new();
    let mut balances: BTreeMap<&str, i64> = BTreeMap::new();
    for line in lines {
        let statement = line.split('#').next().unwrap_or("");
        let words: Vec<&str> = statement.split_ascii_whitespace().collect();
        let effect = match words[..] {
            ["in", name, amount] => [(name, hundredths(amount)), (name, 0)],
            ["out", name, amount] => [(name, -hundredths(amount)), (name, 0)],
            ["move", from, to, amount] => {
                let value = hundredths(amount);
                [(from, -value), (to, value)]
            }
            ["void", number] => {
                let number: usize = number.parse().expect("line number");
                effects[number - 1].map(|(name, value)| (name, -value))
            }
            _ => [("", 0); 2],
        };
        for (name, value) in effect {
            if value != 0 {
                *balances.entry(name).or_insert(0) += value;
            }
        }
        effects.push(effect);
    }
    let mut output = String::new();
    for (name, value) in balances {
        if value != 0 {
            let sign = if value < 0 { "-" } else { "" };
            let (whole, rest) = (value.abs() / 100, value.abs() % 100);
            writeln!(output, "{name} {sign}{whole}.{rest:02}").expect("write to a string");
        }
    }
    if output.is_empty() {
        output.push_str("settled\n");
    }
    io::stdout().write_all(output.as_bytes()).expect("write");
}
