// Mistake: indexes the table of counts with k, which may be larger than the length of the text.
use std::fmt::Write as _;
use std::io::{self, Read, Write as _};

const ROOT: usize = 0;
const NO_STATE: u32 = u32::MAX;

struct State {
    next: [u32; 26],
    link: u32,
    length: u32,
    occurrences: u32,
}

struct Automaton {
    states: Vec<State>,
    last: usize,
}

fn index(state: usize) -> u32 {
    u32::try_from(state).expect("at most two states a letter")
}

impl Automaton {
    fn new() -> Self {
        let root = State {
            next: [NO_STATE; 26],
            link: NO_STATE,
            length: 0,
            occurrences: 0,
        };
        Automaton {
            states: vec![root],
            last: ROOT,
        }
    }

    fn push(&mut self, letter: usize) {
        let new = self.states.len();
        let length = self.states[self.last].length + 1;
        self.states.push(State {
            next: [NO_STATE; 26],
            link: 0,
            length,
            occurrences: 1,
        });
        let mut state = index(std::mem::replace(&mut self.last, new));
        while state != NO_STATE && self.states[state as usize].next[letter] == NO_STATE {
            self.states[state as usize].next[letter] = index(new);
            state = self.states[state as usize].link;
        }
        if state == NO_STATE {
            return;
        }
        let target = self.states[state as usize].next[letter];
        let split_length = self.states[state as usize].length + 1;
        if self.states[target as usize].length == split_length {
            self.states[new].link = target;
            return;
        }
        let State { next, link, .. } = self.states[target as usize];
        let split = index(self.states.len());
        self.states.push(State {
            next,
            link,
            length: split_length,
            occurrences: 0,
        });
        while state != NO_STATE && self.states[state as usize].next[letter] == target {
            self.states[state as usize].next[letter] = split;
            state = self.states[state as usize].link;
        }
        self.states[target as usize].link = split;
        self.states[new].link = split;
    }

    /// Returns at index k how many different words occur exactly k times; index 0 is unused.
    fn words_by_occurrences(&mut self, text_length: usize) -> Vec<u64> {
        let mut by_length: Vec<Vec<u32>> = vec![Vec::new(); text_length + 1];
        for (number, state) in self.states.iter().enumerate().skip(1) {
            by_length[state.length as usize].push(index(number));
        }
        let mut words = vec![0; text_length + 1];
        for &number in by_length.iter().rev().flatten() {
            let State {
                link,
                length,
                occurrences,
                ..
            } = self.states[number as usize];
            let parent = &mut self.states[link as usize];
            words[occurrences as usize] += u64::from(length - parent.length);
            parent.occurrences += occurrences;
        }
        words
    }
}

fn main() {
    let mut input = String::new();
    io::stdin()
        .read_to_string(&mut input)
        .expect("input is text");
    let mut parts = input.split_ascii_whitespace();
    let text = parts.next().expect("the text");
    let mut automaton = Automaton::new();
    for letter in text.bytes() {
        automaton.push(usize::from(letter - b'a'));
    }
    let mut at_least = automaton.words_by_occurrences(text.len());
    for times in (1..text.len()).rev() {
        at_least[times] += at_least[times + 1];
    }
    let mut output = String::new();
    for times in parts.skip(1) {
        let times: usize = times.parse().expect("k");
        let answer = at_least[times];
        writeln!(output, "{answer}").expect("write to a string");
    }
    io::stdout().write_all(output.as_bytes()).expect("write");
}
