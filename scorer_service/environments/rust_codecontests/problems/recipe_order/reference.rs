// Takes steps without open notes one by one (Kahn). If some remain, each has a remaining step before it, so
// walking from step to earlier step must come back to a step seen on the walk: that stretch, reversed, is a circle.
use std::fmt::Write;
use std::io::{self, Read};

fn main() {
    let mut input = String::new();
    io::stdin().read_to_string(&mut input).expect("input");
    let mut numbers = input
        .split_ascii_whitespace()
        .map(|token| token.parse::<usize>().expect("integer"));
    let mut next = || numbers.next().expect("one more integer");

    let n = next();
    let m = next();
    let mut later = vec![Vec::new(); n + 1];
    let mut earlier = vec![Vec::new(); n + 1];
    for _ in 0..m {
        let (u, v) = (next(), next());
        later[u].push(v);
        earlier[v].push(u);
    }

    let mut open_notes: Vec<usize> = earlier.iter().map(Vec::len).collect();
    let mut order: Vec<usize> = (1..=n).filter(|&step| open_notes[step] == 0).collect();
    let mut taken = 0;
    while taken < order.len() {
        for &step in &later[order[taken]] {
            open_notes[step] -= 1;
            if open_notes[step] == 0 {
                order.push(step);
            }
        }
        taken += 1;
    }

    if order.len() == n {
        print!("ORDER\n{}", line(&order));
    } else {
        let circle = find_circle(&earlier, &open_notes);
        print!("CYCLE\n{}\n{}", circle.len(), line(&circle));
    }
}

/// A circle among the steps that still have open notes; there must be such steps.
fn find_circle(earlier: &[Vec<usize>], open_notes: &[usize]) -> Vec<usize> {
    let remains = |step: &usize| open_notes[*step] > 0;
    let mut place_in_walk = vec![None; earlier.len()];
    let mut walk = Vec::new();
    let mut step = (1..earlier.len()).find(remains).expect("a remaining step");
    loop {
        if let Some(start) = place_in_walk[step] {
            let mut circle = walk.split_off(start);
            circle.reverse();
            return circle;
        }
        place_in_walk[step] = Some(walk.len());
        walk.push(step);
        step = *earlier[step]
            .iter()
            .find(|before| remains(before))
            .expect("a remaining step is held back by another");
    }
}

fn line(steps: &[usize]) -> String {
    let mut text = String::new();
    for (i, step) in steps.iter().enumerate() {
        let separator = if i == 0 { "" } else { " " };
        write!(text, "{separator}{step}").expect("write to a string");
    }
    text.push('\n');
    text
}
