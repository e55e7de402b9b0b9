// Mistake: takes repairs by deadline and leaves out those that end late, but never drops a longer one.
use std::io::Read;

fn main() {
    let mut input = String::new();
    std::io::stdin().read_to_string(&mut input).unwrap();
    let numbers: Vec<i64> = input
        .split_whitespace()
        .map(|x| x.parse().unwrap())
        .collect();
    let n = numbers[0] as usize;
    let c = numbers[1];
    let mut jobs: Vec<(i64, i64, usize)> = Vec::new();
    for i in 0..n {
        jobs.push((numbers[2 + 2 * i], numbers[3 + 2 * i], i + 1));
    }
    jobs.sort_by_key(|job| job.1);
    let mut now = 0;
    let mut order = Vec::new();
    for (t, d, i) in jobs {
        let start = if order.is_empty() { 0 } else { now + c };
        if start + t <= d {
            now = start + t;
            order.push(i);
        }
    }
    println!("{}", order.len());
    for i in order {
        print!("{} ", i);
    }
    println!();
}
