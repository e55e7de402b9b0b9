// Counts the phone numbers that averaging with rounding can give, other than one's own.
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
    let own = digits.windows(2).all(|pair| pair[0].abs_diff(pair[1]) <= 1);
    println!("{}", ways.iter().sum::<u64>() - u64::from(own));
}
