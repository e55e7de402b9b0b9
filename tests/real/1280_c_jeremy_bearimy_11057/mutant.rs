// Mistake: the larger side of an edge is never considered, so an edge below which most vertices hang counts too often
use std::io::{self, Read};

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let mut numbers = text
        .split_ascii_whitespace()
        .map(|t| t.parse::<u64>().unwrap());
    let mut next = move || numbers.next().unwrap();
    for _ in 0..next() {
        let n = 2 * next() as usize;
        let mut graph = vec![Vec::new(); n];
        for _ in 1..n {
            let (a, b, t) = (next() as usize - 1, next() as usize - 1, next());
            graph[a].push((b, t));
            graph[b].push((a, t));
        }
        // Parents before children; parent[v] is (parent, length of the edge to it).
        let mut parent = vec![(usize::MAX, 0); n];
        let mut order = vec![0];
        let mut at = 0;
        while at < order.len() {
            let v = order[at];
            at += 1;
            for &(u, t) in &graph[v] {
                if u != parent[v].0 {
                    parent[u] = (v, t);
                    order.push(u);
                }
            }
        }
        let mut size = vec![1u64; n];
        let (mut least, mut most) = (0, 0);
        for &v in order.iter().skip(1).rev() {
            let (p, t) = parent[v];
            size[p] += size[v];
            least += t * (size[v] % 2);
            most += t * size[v];
        }
        println!("{least} {most}");
    }
}
