// Mistake: keeps the whole table over books and shelves: gigabytes for large n and k.
use std::io::{self, Read};

fn main() {
    let mut input = String::new();
    io::stdin().read_to_string(&mut input).unwrap();
    let mut it = input
        .split_ascii_whitespace()
        .map(|t| t.parse::<i64>().unwrap());
    let n = it.next().unwrap() as usize;
    let k = it.next().unwrap() as usize;
    let mut p = vec![0i64];
    for i in 0..n {
        p.push(p[i] + it.next().unwrap());
    }
    let mut cost = vec![vec![i64::MAX; k + 1]; n + 1];
    cost[0][0] = 0;
    for i in 1..=n {
        for j in 1..=k.min(i) {
            for from in (j - 1..i).rev() {
                let width = p[i] - p[from];
                if width * width >= cost[i][j] {
                    break;
                }
                if cost[from][j - 1] != i64::MAX {
                    cost[i][j] = cost[i][j].min(cost[from][j - 1] + width * width);
                }
            }
        }
    }
    println!("{}", cost[n][k]);
}
