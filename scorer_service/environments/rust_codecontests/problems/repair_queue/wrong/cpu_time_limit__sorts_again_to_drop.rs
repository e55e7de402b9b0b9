// Mistake: sorts all taken repairs by length again whenever the longest must be dropped.
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
    let mut taken: Vec<(i64, i64, usize)> = Vec::new();
    let mut now = -c;
    for &(t, d, i) in &jobs {
        taken.push((t, d, i));
        now += t + c;
        if now > d {
            taken.sort();
            let longest = taken.pop().unwrap();
            now -= longest.0 + c;
        }
    }
    taken.sort_by_key(|job| job.1);
    println!("{}", taken.len());
    for job in taken {
        print!("{} ", job.2);
    }
    println!();
}
