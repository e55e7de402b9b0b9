// Scales the integer part by parsing it as i128: a longer integer part fails to parse and panics.
use std::io::{self, Read};

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let mut values: Vec<(bool, i128, String)> = Vec::new();
    for token in text.split_ascii_whitespace().skip(1) {
        let negative = token.starts_with('-');
        let body = token.trim_start_matches('-');
        let (int, frac) = body.split_once('.').unwrap_or((body, ""));
        let int: i128 = int.parse().unwrap();
        let frac = frac.trim_end_matches('0').to_string();
        let zero = int == 0 && frac.is_empty();
        values.push((negative && !zero, int, frac));
    }
    let cmp = |i: usize, j: usize| {
        let (a, b) = (&values[i], &values[j]);
        let mag = (a.1, &a.2).cmp(&(b.1, &b.2));
        match (a.0, b.0) {
            (false, false) => mag,
            (true, true) => mag.reverse(),
            (true, false) => std::cmp::Ordering::Less,
            (false, true) => std::cmp::Ordering::Greater,
        }
    };
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&i, &j| cmp(i, j));
    let mut distinct = 1;
    let mut largest = order[0];
    for w in order.windows(2) {
        if values[w[0]] != values[w[1]] {
            distinct += 1;
            largest = w[1];
        }
    }
    println!("{} {} {}", distinct, order[0] + 1, largest + 1);
}
