// Mistake: takes only scores from 1 - k, one draw fewer than there are
use std::io;

const MODULUS: u64 = 1_000_000_007;

fn main() {
    let mut line = String::new();
    io::stdin().read_line(&mut line).unwrap();
    let numbers: Vec<usize> = line
        .split_ascii_whitespace()
        .map(|t| t.parse().unwrap())
        .collect();
    let (a, b, k, t) = (numbers[0], numbers[1], numbers[2], numbers[3]);
    // ways[s]: draws from 0..=2k so far that add up to s.
    let mut ways = vec![0u64; 4 * k * t + 1];
    ways[0] = 1;
    for _ in 0..2 * t {
        let mut window = 0;
        let mut next = vec![0u64; ways.len()];
        for s in 0..ways.len() {
            window += ways[s];
            if s >= 2 * k {
                window += MODULUS - ways[s - 2 * k];
            }
            window %= MODULUS;
            next[s] = window;
        }
        ways = next;
    }
    // Ahead if a + s > b + 2kt, where s is shifted by k for each of the 2t draws.
    let wins = (0..ways.len())
        .filter(|s| a + s > b + 2 * k * t)
        .map(|s| ways[s])
        .sum::<u64>();
    println!("{}", wins % MODULUS);
}
