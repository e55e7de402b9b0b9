// Mistake: the square of a prime is taken for a prime
use std::io;

fn main() {
    let mut line = String::new();
    io::stdin().read_line(&mut line).unwrap();
    let mut pebbles: u64 = line.trim().parse().unwrap();
    let mut sum = pebbles;
    let mut factor = 2;
    while pebbles > 1 {
        if factor * factor >= pebbles {
            factor = pebbles;
        }
        if pebbles % factor == 0 {
            pebbles /= factor;
            sum += pebbles;
        } else {
            factor += 1;
        }
    }
    println!("{sum}");
}
