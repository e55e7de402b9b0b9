// Mistake: keeps a table over all pairs of islands: 10 GB for 100 000 islands.
use std::io::{self, Read};

fn main() {
    let mut input = String::new();
    io::stdin().read_to_string(&mut input).unwrap();
    let mut it = input
        .split_ascii_whitespace()
        .map(|t| t.parse::<usize>().unwrap());
    let n = it.next().unwrap();
    let m = it.next().unwrap();
    let mut cut_off = vec![vec![true; n]; n];
    let mut members: Vec<Vec<usize>> = (0..n).map(|i| vec![i]).collect();
    let mut group: Vec<usize> = (0..n).collect();
    let mut pairs = n * (n - 1) / 2;
    let mut out = String::new();
    for _ in 0..m {
        let u = it.next().unwrap() - 1;
        let v = it.next().unwrap() - 1;
        if u != v && cut_off[u][v] {
            let (mut a, mut b) = (group[u], group[v]);
            if members[a].len() < members[b].len() {
                std::mem::swap(&mut a, &mut b);
            }
            let moved = std::mem::take(&mut members[b]);
            for &x in &moved {
                for &y in &members[a] {
                    cut_off[x][y] = false;
                    cut_off[y][x] = false;
                    pairs -= 1;
                }
                group[x] = a;
            }
            members[a].extend(moved);
        }
        out += &format!("{pairs}\n");
    }
    print!("{out}");
}
