// Walks without joining the odd squares first: a walk gets stuck away from its start, and streets stay without direction.
use std::io::{self, Read};

fn main() -> io::Result<()> {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text)?;
    let numbers: Vec<usize> = text
        .split_ascii_whitespace()
        .map(|token| token.parse().expect("an integer"))
        .collect();
    let (n, m) = (numbers[0], numbers[1]);
    let streets: Vec<(usize, usize)> = numbers[2..]
        .chunks_exact(2)
        .map(|pair| (pair[0], pair[1]))
        .collect();

    let mut adjacent: Vec<Vec<usize>> = vec![Vec::new(); n + 1];
    for (i, &(u, v)) in streets.iter().enumerate() {
        adjacent[u].push(i);
        adjacent[v].push(i);
    }
    let mut direction: Vec<Option<u8>> = vec![None; streets.len()];
    for start in 0..=n {
        // All degrees are even, so a walk that runs out of streets is back at its start.
        let mut at = start;
        while let Some(i) = adjacent[at].pop() {
            if direction[i].is_none() {
                let (u, v) = streets[i];
                direction[i] = Some(if at == u { b'>' } else { b'<' });
                at = if at == u { v } else { u };
            }
        }
    }
    let answer: String = direction[..m]
        .iter()
        .map(|mark| char::from(mark.expect("every street lies on a walk")))
        .collect();
    println!("{answer}");
    Ok(())
}
