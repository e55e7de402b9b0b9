// The sums that are reachable from a height are all those of one parity between the lowest and the highest trail.
// So go up whenever the lowest trail from there still fits into the sum that is left, and down otherwise.
use std::io::{self, Read};

fn main() -> io::Result<()> {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text)?;
    let numbers: Vec<i64> = text
        .split_ascii_whitespace()
        .map(|token| token.parse().expect("an integer"))
        .collect();
    let (n, sum) = (numbers[0], numbers[1]);
    match build(n - 1, sum) {
        Some(steps) => println!("YES\n{steps}"),
        None => println!("NO"),
    }
    Ok(())
}

fn build(step_count: i64, sum: i64) -> Option<String> {
    let (low, high) = (lowest_sum(0, step_count), step_count * (step_count + 1) / 2);
    if sum < low || sum > high || (sum - low) % 2 != 0 {
        return None;
    }
    let mut steps = String::new();
    let (mut height, mut left) = (0, sum);
    for done in 1..=step_count {
        let up_fits = height + 1 + lowest_sum(height + 1, step_count - done) <= left;
        height += if up_fits { 1 } else { -1 };
        left -= height;
        steps.push(if up_fits { 'U' } else { 'D' });
    }
    Some(steps)
}

/// Least sum of the `steps` heights that follow a point at `height`: down to 0, then 1, 0, 1, 0, ...
fn lowest_sum(height: i64, steps: i64) -> i64 {
    if steps <= height {
        steps * height - steps * (steps + 1) / 2
    } else {
        height * (height - 1) / 2 + (steps - height + 1) / 2
    }
}
