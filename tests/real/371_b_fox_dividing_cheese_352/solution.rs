// Fewest cuts by 2, 3 and 5 that make two pieces equal.
use std::io;

// How often 2, 3 and 5 divide a weight, and what remains.
fn split(mut weight: u32) -> ([u32; 3], u32) {
    let mut times = [0; 3];
    for (count, factor) in times.iter_mut().zip([2, 3, 5]) {
        while weight % factor == 0 {
            weight /= factor;
            *count += 1;
        }
    }
    (times, weight)
}

fn main() {
    let mut line = String::new();
    io::stdin().read_line(&mut line).unwrap();
    let weight: Vec<u32> = line
        .split_ascii_whitespace()
        .map(|t| t.parse().unwrap())
        .collect();
    let (times_a, rest_a) = split(weight[0]);
    let (times_b, rest_b) = split(weight[1]);
    if rest_a != rest_b {
        println!("-1");
        return;
    }
    println!(
        "{}",
        times_a
            .iter()
            .zip(times_b)
            .map(|(&a, b)| a.abs_diff(b))
            .sum::<u32>()
    );
}
