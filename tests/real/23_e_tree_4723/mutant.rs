// Mistake: believes that components of more than three vertices never pay
use std::io::{self, Read};

// A natural number: digits to the base 10^9, lowest first.
type Long = Vec<u64>;
const BASE: u64 = 1_000_000_000;

fn multiply(a: &Long, b: &Long) -> Long {
    let mut product = vec![0; a.len() + b.len()];
    for (i, x) in a.iter().enumerate() {
        let mut carry = 0;
        for (j, y) in b.iter().enumerate() {
            let sum = product[i + j] + x * y + carry;
            product[i + j] = sum % BASE;
            carry = sum / BASE;
        }
        product[i + b.len()] += carry;
    }
    while product.len() > 1 && product.last() == Some(&0) {
        product.pop();
    }
    product
}

fn larger(a: Long, b: Long) -> Long {
    if a.len()
        .cmp(&b.len())
        .then_with(|| a.iter().rev().cmp(b.iter().rev()))
        .is_ge()
    {
        a
    } else {
        b
    }
}

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let numbers: Vec<usize> = text
        .split_ascii_whitespace()
        .map(|t| t.parse().unwrap())
        .collect();
    let n = numbers[0];
    let mut graph = vec![Vec::new(); n];
    for edge in numbers[1..2 * n - 1].chunks(2) {
        graph[edge[0] - 1].push(edge[1] - 1);
        graph[edge[1] - 1].push(edge[0] - 1);
    }
    let mut order = vec![(0, usize::MAX)];
    let mut at = 0;
    while at < n {
        let (v, parent) = order[at];
        at += 1;
        for &u in &graph[v] {
            if u != parent {
                order.push((u, v));
            }
        }
    }
    // best[v][s]: the greatest product below v without the component of v, which has s vertices.
    let mut best: Vec<Vec<Long>> = vec![vec![vec![0], vec![1]]; n];
    // whole[v]: the greatest product below v with that component.
    let mut whole: Vec<Long> = vec![vec![0]; n];
    for &(v, parent) in order.iter().rev() {
        for (size, product) in best[v].iter().enumerate().take(4) {
            let with = multiply(product, &vec![size as u64]);
            whole[v] = larger(std::mem::take(&mut whole[v]), with);
        }
        if parent == usize::MAX {
            break;
        }
        let mut merged = vec![vec![0]; best[parent].len() + best[v].len() - 1];
        for (i, a) in best[parent].iter().enumerate() {
            merged[i] = larger(std::mem::take(&mut merged[i]), multiply(a, &whole[v]));
            for (j, b) in best[v].iter().enumerate().skip(1) {
                merged[i + j] = larger(std::mem::take(&mut merged[i + j]), multiply(a, b));
            }
        }
        best[parent] = merged;
    }
    let digits: String = whole[0].iter().rev().map(|d| format!("{d:09}")).collect();
    println!("{}", digits.trim_start_matches('0'));
}
