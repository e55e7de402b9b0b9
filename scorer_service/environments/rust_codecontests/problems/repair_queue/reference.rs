// Counts one cleaning into every repair and its deadline. Takes repairs by deadline; whenever one ends
// too late, drops the longest taken so far, which keeps the number best and the time used least.
use std::collections::BinaryHeap;
use std::fmt::Write as _;
use std::io::{self, Read, Write as _};

fn main() {
    let mut input = String::new();
    io::stdin()
        .read_to_string(&mut input)
        .expect("input is text");
    let mut numbers = input
        .split_ascii_whitespace()
        .map(|word| word.parse::<u64>().expect("a number"));
    let count = numbers.next().expect("n");
    let cleaning = numbers.next().expect("c");
    let mut repairs: Vec<(u64, u64, u64)> = Vec::new();
    for index in 1..=count {
        let duration = numbers.next().expect("t") + cleaning;
        let deadline = numbers.next().expect("d") + cleaning;
        repairs.push((deadline, duration, index));
    }
    repairs.sort_unstable();

    let mut taken = BinaryHeap::new();
    let mut busy_until = 0;
    for &(deadline, duration, index) in &repairs {
        taken.push((duration, index));
        busy_until += duration;
        if busy_until > deadline {
            let (longest, _) = taken.pop().expect("one was just pushed");
            busy_until -= longest;
        }
    }

    let mut is_taken = vec![false; repairs.len() + 1];
    for &(_, index) in &taken {
        is_taken[usize::try_from(index).expect("n fits")] = true;
    }
    let mut output = format!("{}\n", taken.len());
    for (_, _, index) in repairs {
        if is_taken[usize::try_from(index).expect("n fits")] {
            write!(output, "{index} ").expect("write to a string");
        }
    }
    output.truncate(output.trim_end().len());
    output.push('\n');
    io::stdout().write_all(output.as_bytes()).expect("write");
}
