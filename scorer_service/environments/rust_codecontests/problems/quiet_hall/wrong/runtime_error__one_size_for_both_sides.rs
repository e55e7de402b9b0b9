// Mistake: gives the table of flautists the size of the drummers, so it is too short where b > a.
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

fn extend(x: usize, adj: &[Vec<usize>], seen: &mut [bool], partner: &mut [usize]) -> bool {
    for &y in &adj[x] {
        if seen[y] {
            continue;
        }
        seen[y] = true;
        if partner[y] == 0 || extend(partner[y], adj, seen, partner) {
            partner[y] = x;
            return true;
        }
    }
    false
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
    let mut partner = vec![0; a + 1];
    for x in 1..=a {
        let mut seen = vec![false; a + 1];
        extend(x, &adj, &mut seen, &mut partner);
    }
    let mut matched = vec![false; a + 1];
    for &x in &partner {
        matched[x] = true;
    }
    let mut drums = vec![false; a + 1];
    let mut flutes = vec![true; b + 1];
    flutes[0] = false;
    let mut stack: Vec<usize> = (1..=a).filter(|&x| !matched[x]).collect();
    for &x in &stack {
        drums[x] = true;
    }
    while let Some(x) = stack.pop() {
        for &y in &adj[x] {
            flutes[y] = false;
            let next = partner[y];
            if next != 0 && !drums[next] {
                drums[next] = true;
                stack.push(next);
            }
        }
    }
    print(&drums, &flutes);
}
