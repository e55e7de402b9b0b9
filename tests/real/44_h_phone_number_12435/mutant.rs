// Mistake: one's own number is counted as well
use std::io;

fn main() {
    let mut line = String::new();
    io::stdin().read_line(&mut line).unwrap();
    let digits: Vec<usize> = line.trim().bytes().map(|c| usize::from(c - b'0')).collect();
    // ways[d]: numbers so far that end in d.
    let mut ways = [1u64; 10];
    for &digit in &digits[1..] {
        let mut next = [0; 10];
        for (last, count) in ways.iter().enumerate() {
            let sum = digit + last;
            next[sum / 2] += count;
            if sum % 2 == 1 {
                next[sum / 2 + 1] += count;
            }
        }
        ways = next;
    }
    println!("{}", ways.iter().sum::<u64>());
}
