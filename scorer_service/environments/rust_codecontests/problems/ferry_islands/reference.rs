// Union-find by size: joining two groups of a and b islands connects a * b pairs that were cut off before.
// Lines inside a group change nothing; the count needs 64 bits.
use std::fmt::Write;
use std::io::{self, Read};

struct Groups {
    parent: Vec<usize>,
    size: Vec<usize>,
}

impl Groups {
    fn new(n: usize) -> Self {
        Groups {
            parent: (0..n).collect(),
            size: vec![1; n],
        }
    }

    fn root(&mut self, mut island: usize) -> usize {
        while self.parent[island] != island {
            self.parent[island] = self.parent[self.parent[island]];
            island = self.parent[island];
        }
        island
    }

    /// Joins two groups and returns the number of pairs that this connects.
    fn join(&mut self, u: usize, v: usize) -> usize {
        let (mut small, mut large) = (self.root(u), self.root(v));
        if small == large {
            return 0;
        }
        if self.size[small] > self.size[large] {
            std::mem::swap(&mut small, &mut large);
        }
        let connected = self.size[small] * self.size[large];
        self.parent[small] = large;
        self.size[large] += self.size[small];
        connected
    }
}

fn main() {
    let mut input = String::new();
    io::stdin().read_to_string(&mut input).expect("input");
    let mut numbers = input
        .split_ascii_whitespace()
        .map(|token| token.parse::<usize>().expect("integer"));
    let mut next = || numbers.next().expect("one more integer");

    let n = next();
    let m = next();
    let mut groups = Groups::new(n);
    let mut cut_off = n * (n - 1) / 2;
    let mut output = String::new();
    for _ in 0..m {
        cut_off -= groups.join(next() - 1, next() - 1);
        writeln!(output, "{cut_off}").expect("write to a string");
    }
    print!("{output}");
}
