// The longest part of a snippet is its heavy one. Doubling jumps along heavy parts lead at once to the last
// snippet whose text holds the letter; any other part is at most half as long, so few such steps follow.
use std::collections::HashMap;
use std::io::{self, Read, Write};

/// Lengths stop here: no question asks for a letter beyond it.
const LENGTH_CAP: u64 = 1_000_000_000_000_000_000;
const NO_SNIPPET: u32 = u32::MAX;

#[derive(Clone, Copy)]
enum Piece {
    /// Letters from this index of the input on.
    Letters(usize),
    Reference(u32),
}

#[derive(Default)]
struct Snippet {
    /// The pieces of the body, each with the index of its first letter in the text.
    pieces: Vec<(u64, Piece)>,
    length: u64,
}

#[derive(Clone, Copy)]
struct Jump {
    target: u32,
    offset: u64,
}

struct Library {
    snippets: Vec<Snippet>,
    /// `jumps[level][snippet]` skips 2^level heavy parts.
    jumps: Vec<Vec<Jump>>,
}

fn capped_sum(left: u64, right: u64) -> u64 {
    (left + right).min(LENGTH_CAP)
}

impl Library {
    fn define(&mut self, body: &str, body_start: usize, numbers: &HashMap<&str, u32>) {
        let mut snippet = Snippet::default();
        let mut heavy = Jump {
            target: NO_SNIPPET,
            offset: 0,
        };
        let mut heavy_length = 0;
        let mut at = 0;
        while at < body.len() {
            let rest = &body[at..];
            let (piece, piece_length, skip) = if let Some(reference) = rest.strip_prefix('{') {
                let name = reference.split('}').next().unwrap_or("");
                let number = numbers[name];
                let length = self.snippets[number as usize].length;
                // Of several capped parts only the first can hold a letter that is asked for.
                if length > heavy_length {
                    heavy = Jump {
                        target: number,
                        offset: snippet.length,
                    };
                    heavy_length = length;
                }
                (Piece::Reference(number), length, name.len() + 2)
            } else {
                let count = rest.find('{').unwrap_or(rest.len());
                (Piece::Letters(body_start + at), count as u64, count)
            };
            snippet.pieces.push((snippet.length, piece));
            snippet.length = capped_sum(snippet.length, piece_length);
            at += skip;
        }
        self.snippets.push(snippet);
        self.jumps[0].push(heavy);
    }

    fn build_jumps(&mut self) {
        while 1 << self.jumps.len() < self.snippets.len() {
            let last = &self.jumps[self.jumps.len() - 1];
            let double = |&first: &Jump| {
                let Some(second) = last.get(first.target as usize) else {
                    return first;
                };
                Jump {
                    target: second.target,
                    offset: capped_sum(first.offset, second.offset),
                }
            };
            let next = last.iter().map(double).collect();
            self.jumps.push(next);
        }
    }

    /// Returns the index in the input of letter `index` (from 0) of a text, or None where it is too short.
    fn find(&self, mut number: usize, mut index: u64) -> Option<usize> {
        if index >= self.snippets[number].length {
            return None;
        }
        loop {
            for level in self.jumps.iter().rev() {
                let Jump { target, offset } = level[number];
                if let Some(snippet) = self.snippets.get(target as usize) {
                    if offset <= index && index - offset < snippet.length {
                        number = target as usize;
                        index -= offset;
                    }
                }
            }
            let pieces = &self.snippets[number].pieces;
            let (start, piece) = pieces[pieces.partition_point(|&(start, _)| start <= index) - 1];
            index -= start;
            match piece {
                Piece::Letters(first) => return Some(first + usize::try_from(index).ok()?),
                Piece::Reference(part) => number = part as usize,
            }
        }
    }
}

fn main() {
    let mut input = String::new();
    io::stdin()
        .read_to_string(&mut input)
        .expect("input is text");
    let (first, mut rest) = input.split_once('\n').expect("first line");
    let count: u32 = first
        .split(' ')
        .next()
        .and_then(|word| word.parse().ok())
        .expect("n");
    let mut library = Library {
        snippets: Vec::new(),
        jumps: vec![Vec::new()],
    };
    let mut numbers: HashMap<&str, u32> = HashMap::new();
    for number in 0..count {
        let (line, after) = rest.split_once('\n').expect("a definition");
        let (name, quoted) = line.split_once("=\"").expect("a name");
        let body = quoted.trim_end_matches('"');
        let body_start = input.len() - rest.len() + name.len() + 2;
        library.define(body, body_start, &numbers);
        numbers.insert(name, number);
        rest = after;
    }
    library.build_jumps();
    let mut output = Vec::new();
    for line in rest.lines() {
        let (name, index) = line.split_once(' ').expect("a question");
        let index: u64 = index.trim().parse().expect("k");
        let found = library.find(numbers[name] as usize, index - 1);
        output.push(found.map_or(b'-', |at| input.as_bytes()[at]));
        output.push(b'\n');
    }
    io::stdout().write_all(&output).expect("write");
}
