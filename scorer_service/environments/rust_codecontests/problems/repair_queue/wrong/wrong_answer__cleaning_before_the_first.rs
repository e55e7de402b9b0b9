// Mistake: counts a cleaning before the first repair as well.
use std::collections::{BinaryHeap, HashSet};
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
    let mut heap = BinaryHeap::new();
    let mut now = 0;
    for &(t, d, i) in &jobs {
        heap.push((t, i));
        now += t + c;
        if now > d {
            now -= heap.pop().unwrap().0 + c;
        }
    }
    let kept: HashSet<usize> = heap.into_iter().map(|(_, i)| i).collect();
    let order: Vec<usize> = jobs
        .iter()
        .map(|job| job.2)
        .filter(|i| kept.contains(i))
        .collect();
    println!("{}", order.len());
    for i in order {
        print!("{} ", i);
    }
    println!();
}
