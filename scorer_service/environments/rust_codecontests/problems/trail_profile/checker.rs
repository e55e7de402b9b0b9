// Accepts NO where the reference says so, and otherwise YES with any trail of n points and sum s.
// Usage: checker INPUT EXPECTED < output; exit code 42 accepts, 43 rejects, 1 is a fault of the problem itself.
use std::io::{self, Read};
use std::process::exit;

const ACCEPT: i32 = 42;
const REJECT: i32 = 43;
const FAULT: i32 = 1;

fn main() {
    let paths: Vec<String> = std::env::args().skip(1).collect();
    let [input, expected] = [0, 1].map(|i| {
        let content = paths
            .get(i)
            .and_then(|path| std::fs::read_to_string(path).ok());
        content.unwrap_or_else(|| exit(FAULT))
    });
    let numbers: Vec<i64> = input
        .split_ascii_whitespace()
        .filter_map(|token| token.parse().ok())
        .collect();
    let &[n, sum] = numbers.as_slice() else {
        exit(FAULT)
    };
    let possible = match expected.split_ascii_whitespace().next() {
        Some("YES") => true,
        Some("NO") => false,
        _ => exit(FAULT),
    };

    let mut output = Vec::new();
    if io::stdin().read_to_end(&mut output).is_err() {
        exit(FAULT);
    }
    let tokens: Vec<&[u8]> = output
        .split(u8::is_ascii_whitespace)
        .filter(|token| !token.is_empty())
        .collect();
    match tokens.as_slice() {
        [b"NO"] => exit(if possible { REJECT } else { ACCEPT }),
        [b"YES", rest @ ..] => {
            let steps: &[u8] = match rest {
                [] => &[],
                [steps] => steps,
                _ => exit(REJECT),
            };
            if !is_trail(steps, n, sum) {
                exit(REJECT);
            }
            exit(if possible { ACCEPT } else { FAULT })
        }
        _ => exit(REJECT),
    }
}

fn is_trail(steps: &[u8], n: i64, sum: i64) -> bool {
    if i64::try_from(steps.len()) != Ok(n - 1) {
        return false;
    }
    let (mut height, mut total) = (0_i64, 0_i64);
    for step in steps {
        height += match step {
            b'U' => 1,
            b'D' => -1,
            _ => return false,
        };
        if height < 0 {
            return false;
        }
        total += height;
    }
    total == sum
}
