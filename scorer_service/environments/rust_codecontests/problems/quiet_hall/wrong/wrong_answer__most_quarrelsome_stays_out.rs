// Mistake: sends away the musician with the most open quarrels, again and again.
use std::io::{self, Read};

fn words(chosen: &[bool]) -> String {
    let ids: Vec<String> = (1..chosen.len())
        .filter(|&i| chosen[i])
        .map(|i| i.to_string())
        .collect();
    ids.join(" ")
}

fn print(drums: &[bool], flutes: &[bool]) {
    let count = |v: &[bool]| v.iter().filter(|&&c| c).count();
    println!(
        "{} {}\n{}\n{}",
        count(drums),
        count(flutes),
        words(drums),
        words(flutes)
    );
}

fn main() {
    let mut input = String::new();
    io::stdin().read_to_string(&mut input).unwrap();
    let mut it = input
        .split_ascii_whitespace()
        .map(|t| t.parse::<usize>().unwrap());
    let a = it.next().unwrap();
    let b = it.next().unwrap();
    let m = it.next().unwrap();
    let mut adj = vec![Vec::new(); a + 1];
    for _ in 0..m {
        let x = it.next().unwrap();
        adj[x].push(it.next().unwrap());
    }
    let mut other = vec![Vec::new(); a + b + 1];
    for x in 1..=a {
        for &y in &adj[x] {
            other[x].push(a + y);
            other[a + y].push(x);
        }
    }
    for list in &mut other {
        list.sort();
        list.dedup();
    }
    let mut degree: Vec<usize> = other.iter().map(|l| l.len()).collect();
    let mut heap: std::collections::BinaryHeap<(usize, usize)> =
        (1..=a + b).map(|v| (degree[v], v)).collect();
    let mut stays = vec![true; a + b + 1];
    stays[0] = false;
    while let Some((d, v)) = heap.pop() {
        if d == 0 {
            break;
        }
        if d != degree[v] || !stays[v] {
            continue;
        }
        stays[v] = false;
        for &w in &other[v] {
            if stays[w] {
                degree[w] -= 1;
                heap.push((degree[w], w));
            }
        }
    }
    let mut flutes = vec![false];
    flutes.extend_from_slice(&stays[a + 1..]);
    print(&stays[..=a], &flutes);
}
