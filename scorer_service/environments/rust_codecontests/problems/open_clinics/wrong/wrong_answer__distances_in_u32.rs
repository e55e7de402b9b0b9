// Mistake: keeps distances in u32; a long valley is longer than 4 294 967 295.
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fmt::Write;
use std::io::{self, Read};

type Roads = Vec<Vec<(usize, u32)>>;

fn centroids_of_villages(roads: &Roads) -> Vec<Vec<(usize, u32)>> {
    let n = roads.len();
    let mut centroids = vec![Vec::new(); n];
    let mut removed = vec![false; n];
    let mut size = vec![0; n];
    let mut part_starts = vec![0];
    while let Some(start) = part_starts.pop() {
        let centroid = find_centroid(roads, &removed, &mut size, start);
        for (village, _, distance) in walk(roads, &removed, centroid) {
            centroids[village].push((centroid, distance));
        }
        removed[centroid] = true;
        for &(neighbour, _) in &roads[centroid] {
            if !removed[neighbour] {
                part_starts.push(neighbour);
            }
        }
    }
    centroids
}

fn walk(roads: &Roads, removed: &[bool], start: usize) -> Vec<(usize, usize, u32)> {
    let mut order = vec![(start, start, 0u32)];
    let mut next = 0;
    while next < order.len() {
        let (village, parent, distance) = order[next];
        next += 1;
        for &(neighbour, length) in &roads[village] {
            if neighbour != parent && !removed[neighbour] {
                order.push((neighbour, village, distance.wrapping_add(length)));
            }
        }
    }
    order
}

fn find_centroid(roads: &Roads, removed: &[bool], size: &mut [usize], start: usize) -> usize {
    let order = walk(roads, removed, start);
    for &(village, _, _) in &order {
        size[village] = 1;
    }
    for &(village, parent, _) in order.iter().rev() {
        if 2 * size[village] >= order.len() {
            return village;
        }
        size[parent] += size[village];
    }
    start
}

fn main() {
    let mut input = String::new();
    io::stdin().read_to_string(&mut input).expect("input");
    let mut tokens = input.split_ascii_whitespace();
    let mut next = || tokens.next().expect("one more integer");
    let n: usize = next().parse().expect("n");
    next();
    let mut roads: Roads = vec![Vec::new(); n];
    for _ in 1..n {
        let u = next().parse::<usize>().expect("u") - 1;
        let v = next().parse::<usize>().expect("v") - 1;
        let length = next().parse().expect("w");
        roads[u].push((v, length));
        roads[v].push((u, length));
    }

    let centroids = centroids_of_villages(&roads);
    let mut open = vec![false; n];
    let mut nearest: Vec<BinaryHeap<Reverse<(u32, usize)>>> = vec![BinaryHeap::new(); n];
    let mut output = String::new();
    while let Some(kind) = tokens.next() {
        let village = tokens.next().expect("v").parse::<usize>().expect("v") - 1;
        if kind == "C" {
            open[village] = !open[village];
            if open[village] {
                for &(centroid, distance) in &centroids[village] {
                    nearest[centroid].push(Reverse((distance, village)));
                }
            }
            continue;
        }
        let mut best = None;
        for &(centroid, distance) in &centroids[village] {
            while let Some(&Reverse((from_centroid, clinic))) = nearest[centroid].peek() {
                if open[clinic] {
                    let total = distance.wrapping_add(from_centroid);
                    best = Some(best.map_or(total, |best: u32| best.min(total)));
                    break;
                }
                nearest[centroid].pop();
            }
        }
        match best {
            Some(distance) => writeln!(output, "{distance}").expect("write to a string"),
            None => output.push_str("-1\n"),
        }
    }
    print!("{output}");
}
