// Mistake: a falling block does not disturb the one on top of it
use std::io::{self, Read};

// Visits all that `start` disturbs; appends blocks to `done` as they are left.
fn search(graph: &[Vec<usize>], seen: &mut [bool], start: usize, done: &mut Vec<usize>) {
    seen[start] = true;
    let mut path = vec![(start, 0)];
    while let Some(top) = path.last_mut() {
        let (v, edge) = *top;
        top.1 += 1;
        match graph[v].get(edge) {
            Some(&u) if !seen[u] => {
                seen[u] = true;
                path.push((u, 0));
            }
            Some(_) => {}
            None => {
                done.push(v);
                path.pop();
            }
        }
    }
}

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let mut tokens = text.split_ascii_whitespace();
    let n: usize = tokens.next().unwrap().parse().unwrap();
    let m: usize = tokens.next().unwrap().parse().unwrap();
    let board: Vec<&[u8]> = tokens.take(n).map(str::as_bytes).collect();
    let mut graph = vec![Vec::new(); n * m];
    // highest[j]: the first block of column j at or below the current row.
    let mut highest: Vec<Option<usize>> = vec![None; m];
    for i in (0..n).rev() {
        let below = highest.clone();
        for j in 0..m {
            if board[i][j] == b'#' {
                highest[j] = Some(i * m + j);
            }
        }
        for j in 0..m {
            if board[i][j] != b'#' {
                continue;
            }
            let edges = &mut graph[i * m + j];
            edges.extend(below[j]);

            if j > 0 {
                edges.extend(highest[j - 1]);
            }
            if j + 1 < m {
                edges.extend(highest[j + 1]);
            }
        }
    }
    let is_block = |v: usize| board[v / m][v % m] == b'#';
    let mut done = Vec::new();
    let mut seen = vec![false; n * m];
    for v in 0..n * m {
        if is_block(v) && !seen[v] {
            search(&graph, &mut seen, v, &mut done);
        }
    }
    let mut fallen = vec![false; n * m];
    let mut operations = 0;
    for &v in done.iter().rev() {
        if !fallen[v] {
            operations += 1;
            search(&graph, &mut fallen, v, &mut Vec::new());
        }
    }
    println!("{operations}");
}
