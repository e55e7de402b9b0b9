// Accepts every string of m directions in which no square has two streets more of one kind than of the other.
// Usage: checker INPUT EXPECTED < output; exit code 42 accepts, 43 rejects, 1 is a fault of the problem itself.
use std::io::{self, Read};
use std::process::exit;

const ACCEPT: i32 = 42;
const REJECT: i32 = 43;
const FAULT: i32 = 1;

fn main() {
    // The answer always exists, so the input alone decides.
    let input = std::env::args()
        .nth(1)
        .and_then(|path| std::fs::read_to_string(path).ok())
        .unwrap_or_else(|| exit(FAULT));
    let numbers: Vec<usize> = input
        .split_ascii_whitespace()
        .filter_map(|token| token.parse().ok())
        .collect();
    let [n, m, ends @ ..] = numbers.as_slice() else {
        exit(FAULT)
    };
    if ends.len() != 2 * m || ends.iter().any(|end| !(1..=*n).contains(end)) {
        exit(FAULT);
    }

    let mut output = Vec::new();
    if io::stdin().read_to_end(&mut output).is_err() {
        exit(FAULT);
    }
    let mut tokens = output
        .split(u8::is_ascii_whitespace)
        .filter(|token| !token.is_empty());
    let (Some(directions), None) = (tokens.next(), tokens.next()) else {
        exit(REJECT)
    };
    exit(if is_balanced(directions, *n, ends) {
        ACCEPT
    } else {
        REJECT
    });
}

fn is_balanced(directions: &[u8], n: usize, ends: &[usize]) -> bool {
    if 2 * directions.len() != ends.len() {
        return false;
    }
    let mut surplus = vec![0_i64; n + 1];
    for (direction, street) in directions.iter().zip(ends.chunks_exact(2)) {
        let (source, target) = match direction {
            b'>' => (street[0], street[1]),
            b'<' => (street[1], street[0]),
            _ => return false,
        };
        surplus[source] -= 1;
        surplus[target] += 1;
    }
    surplus.iter().all(|difference| difference.abs() <= 1)
}
