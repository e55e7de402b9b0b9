// Mistake: a copy may overlap the place where it is written
use std::io::{self, Read};

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let tokens: Vec<&str> = text.split_ascii_whitespace().collect();
    let letter_cost: u64 = tokens[1].parse().unwrap();
    let copy_cost: u64 = tokens[2].parse().unwrap();
    let s = tokens[3].as_bytes();
    let n = s.len();
    // longest[i]: the longest string at i that occurs entirely before i.
    let mut longest = vec![0; n];
    // common[j]: how far the strings at i and at j agree.
    let mut common = vec![0; n + 1];
    for i in (0..n).rev() {
        for j in 0..i {
            common[j] = if s[i] == s[j] { common[j + 1] + 1 } else { 0 };
        }
        // The row for i - 1 reads common[i] of that row's right neighbour, which is i against i.
        common[i] = n - i;
        longest[i] = (0..i).map(|j| common[j]).max().unwrap_or(0);
    }
    let mut cost = vec![u64::MAX; n + 1];
    cost[0] = 0;
    for i in 0..n {
        cost[i + 1] = cost[i + 1].min(cost[i] + letter_cost);
        for end in i + 1..=i + longest[i] {
            cost[end] = cost[end].min(cost[i] + copy_cost);
        }
    }
    println!("{}", cost[n]);
}
