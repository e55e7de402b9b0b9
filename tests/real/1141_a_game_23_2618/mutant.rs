// Mistake: another factor than 2 and 3 is never taken away, so the loop does not end
use std::io;

fn main() {
    let mut line = String::new();
    io::stdin().read_line(&mut line).unwrap();
    let numbers: Vec<u64> = line
        .split_ascii_whitespace()
        .map(|t| t.parse().unwrap())
        .collect();
    let (n, m) = (numbers[0], numbers[1]);
    if m % n != 0 {
        println!("-1");
        return;
    }
    let mut rest = m / n;
    let mut moves = 0;
    while rest > 1 {
        if rest % 2 == 0 {
            rest /= 2;
        } else if rest % 3 == 0 {
            rest /= 3;
        }
        moves += 1;
    }
    println!("{moves}");
}
