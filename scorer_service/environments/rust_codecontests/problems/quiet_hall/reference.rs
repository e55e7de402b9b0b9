// A largest matching (Hopcroft-Karp) bounds the invitation: one of each matched pair stays out. From the unmatched
// drummers, walk along quarrels and back along pairs: invite the drummers reached and the flautists not reached.
use std::collections::VecDeque;
use std::fmt::Write;
use std::io::{self, Read};

struct Hall {
    /// The flautists with whom each drummer has a quarrel.
    quarrels: Vec<Vec<usize>>,
    flautists: usize,
}

struct Matching {
    of_drummer: Vec<Option<usize>>,
    of_flautist: Vec<Option<usize>>,
}

const UNREACHED: usize = usize::MAX;

/// How many pairs lie between the unmatched drummers and each drummer, along alternating paths.
fn layers(hall: &Hall, matching: &Matching) -> Vec<usize> {
    let mut layer = vec![UNREACHED; hall.quarrels.len()];
    let mut queue = VecDeque::new();
    for (drummer, partner) in matching.of_drummer.iter().enumerate() {
        if partner.is_none() {
            layer[drummer] = 0;
            queue.push_back(drummer);
        }
    }
    while let Some(drummer) = queue.pop_front() {
        for &flautist in &hall.quarrels[drummer] {
            if let Some(next) = matching.of_flautist[flautist] {
                if layer[next] == UNREACHED {
                    layer[next] = layer[drummer] + 1;
                    queue.push_back(next);
                }
            }
        }
    }
    layer
}

/// Searches, layer by layer, a path from an unmatched drummer to an unmatched flautist and flips it.
fn augment(
    hall: &Hall,
    matching: &mut Matching,
    layer: &[usize],
    tried: &mut [usize],
    start: usize,
) -> bool {
    let mut path = vec![start];
    while let Some(&drummer) = path.last() {
        let Some(&flautist) = hall.quarrels[drummer].get(tried[drummer]) else {
            path.pop();
            if let Some(&before) = path.last() {
                tried[before] += 1;
            }
            continue;
        };
        match matching.of_flautist[flautist] {
            None => {
                for drummer in path {
                    let flautist = hall.quarrels[drummer][tried[drummer]];
                    matching.of_drummer[drummer] = Some(flautist);
                    matching.of_flautist[flautist] = Some(drummer);
                }
                return true;
            }
            Some(next) if layer[next] == layer[drummer] + 1 => path.push(next),
            Some(_) => tried[drummer] += 1,
        }
    }
    false
}

fn largest_matching(hall: &Hall) -> Matching {
    let drummers = hall.quarrels.len();
    let mut matching = Matching {
        of_drummer: vec![None; drummers],
        of_flautist: vec![None; hall.flautists],
    };
    loop {
        let layer = layers(hall, &matching);
        let mut tried = vec![0; drummers];
        let mut grown = false;
        for drummer in 0..drummers {
            if matching.of_drummer[drummer].is_none() {
                grown |= augment(hall, &mut matching, &layer, &mut tried, drummer);
            }
        }
        if !grown {
            return matching;
        }
    }
}

fn main() {
    let mut input = String::new();
    io::stdin().read_to_string(&mut input).expect("input");
    let mut numbers = input
        .split_ascii_whitespace()
        .map(|token| token.parse::<usize>().expect("integer"));
    let mut next = || numbers.next().expect("one more integer");
    let drummers = next();
    let mut hall = Hall {
        flautists: next(),
        quarrels: vec![Vec::new(); drummers],
    };
    for _ in 0..next() {
        let drummer = next() - 1;
        hall.quarrels[drummer].push(next() - 1);
    }

    let matching = largest_matching(&hall);
    let layer = layers(&hall, &matching);
    let mut flautist_reached = vec![false; hall.flautists];
    let mut invited_drummers = Vec::new();
    for (drummer, quarrels) in hall.quarrels.iter().enumerate() {
        if layer[drummer] != UNREACHED {
            invited_drummers.push(drummer);
            for &flautist in quarrels {
                flautist_reached[flautist] = true;
            }
        }
    }
    let invited_flautists: Vec<usize> = (0..hall.flautists)
        .filter(|&flautist| !flautist_reached[flautist])
        .collect();
    println!("{} {}", invited_drummers.len(), invited_flautists.len());
    println!("{}", line(&invited_drummers));
    println!("{}", line(&invited_flautists));
}

/// The numbers of the musicians, counted from 1.
fn line(musicians: &[usize]) -> String {
    let mut text = String::new();
    for (i, musician) in musicians.iter().enumerate() {
        let separator = if i == 0 { "" } else { " " };
        write!(text, "{separator}{}", musician + 1).expect("write to a string");
    }
    text
}
