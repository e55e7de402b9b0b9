// Keeps the taken hooks as maximal runs in an ordered map from start to end: the first free hook from x on lies right
// behind the run that holds x. A new coat may join the runs on both sides, and a coat taken may split a run.
use std::collections::BTreeMap;
use std::fmt::Write;
use std::io::{self, Read};

struct Cloakroom {
    hooks: u32,
    /// Start to end of each run of taken hooks; two runs never touch.
    runs: BTreeMap<u32, u32>,
}

impl Cloakroom {
    /// The run that holds this hook, if it is taken.
    fn run_at(&self, hook: u32) -> Option<(u32, u32)> {
        let (&start, &end) = self.runs.range(..=hook).next_back()?;
        (hook <= end).then_some((start, end))
    }

    /// The first free hook from this one to the last, not going round.
    fn free_from(&self, hook: u32) -> Option<u32> {
        let free = self.run_at(hook).map_or(hook, |(_, end)| end + 1);
        (free <= self.hooks).then_some(free)
    }

    fn hang(&mut self, entry: u32) -> Option<u32> {
        let hook = self.free_from(entry).or_else(|| self.free_from(1))?;
        let end = self.runs.remove(&(hook + 1)).unwrap_or(hook);
        let start = self.run_at(hook - 1).map_or(hook, |(start, _)| start);
        self.runs.insert(start, end);
        Some(hook)
    }

    /// Takes the coat from a hook; false if there is none.
    fn take(&mut self, hook: u32) -> bool {
        let Some((start, end)) = self.run_at(hook) else {
            return false;
        };
        self.runs.remove(&start);
        if start < hook {
            self.runs.insert(start, hook - 1);
        }
        if hook < end {
            self.runs.insert(hook + 1, end);
        }
        true
    }
}

fn main() {
    let mut input = String::new();
    io::stdin().read_to_string(&mut input).expect("input");
    let mut tokens = input.split_ascii_whitespace();
    let mut room = Cloakroom {
        hooks: tokens.next().expect("n").parse().expect("n"),
        runs: BTreeMap::new(),
    };
    tokens.next().expect("q");

    let mut output = String::new();
    while let Some(kind) = tokens.next() {
        let hook: u32 = tokens.next().expect("hook").parse().expect("hook");
        if kind == "H" {
            match room.hang(hook) {
                Some(hook) => writeln!(output, "{hook}").expect("write to a string"),
                None => output.push_str("FULL\n"),
            }
        } else if room.take(hook) {
            output.push_str("TAKEN\n");
        } else {
            output.push_str("EMPTY\n");
        }
    }
    print!("{output}");
}
