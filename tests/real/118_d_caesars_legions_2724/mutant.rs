// Mistake: results are computed again each time instead of remembered
use std::collections::HashMap;
use std::io;

const MODULUS: u64 = 100_000_000;

type Memory = HashMap<([usize; 2], usize), u64>;

// Ways to line up the rest of both kinds so that the first block is of `kind`.
fn line_ups(left: [usize; 2], kind: usize, longest: [usize; 2], memory: &mut Memory) -> u64 {
    if left == [0, 0] {
        return 1;
    }
    if let Some(&known) = memory.get(&(left, kind)) {
        return known;
    }
    let mut ways = 0;
    for block in 1..=longest[kind].min(left[kind]) {
        let mut rest = left;
        rest[kind] -= block;
        ways += line_ups(rest, 1 - kind, longest, memory);
    }

    ways % MODULUS
}

fn main() {
    let mut line = String::new();
    io::stdin().read_line(&mut line).unwrap();
    let numbers: Vec<usize> = line
        .split_ascii_whitespace()
        .map(|t| t.parse().unwrap())
        .collect();
    let [footmen, horsemen, most_footmen, most_horsemen] = numbers[..] else {
        panic!("four numbers")
    };
    let longest = [most_footmen, most_horsemen];
    let mut memory = Memory::new();
    let ways: u64 = (0..2)
        .map(|kind| line_ups([footmen, horsemen], kind, longest, &mut memory))
        .sum();
    println!("{}", ways % MODULUS);
}
