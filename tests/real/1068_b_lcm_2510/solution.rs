// How many values lcm(a, b) / a takes: the number of divisors of b.
use std::io;

fn main() {
    let mut line = String::new();
    io::stdin().read_line(&mut line).unwrap();
    let b: u64 = line.trim().parse().unwrap();
    let mut divisors = 0;
    let mut d = 1;
    while d * d <= b {
        if b % d == 0 {
            divisors += if d * d == b { 1 } else { 2 };
        }
        d += 1;
    }
    println!("{divisors}");
}
