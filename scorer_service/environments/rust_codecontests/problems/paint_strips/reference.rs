// A segment tree over the planks: a node knows the colours at its ends, the strips that touch them, the longest strip
// and the number of strips, so two neighbours can be joined. Painting a whole node is remembered and handed on later.
use std::fmt::Write;
use std::io::{self, Read};

#[derive(Clone, Copy)]
struct Strips {
    planks: usize,
    first_colour: u32,
    last_colour: u32,
    first_length: usize,
    last_length: usize,
    longest: usize,
    count: usize,
}

impl Strips {
    fn plain(planks: usize, colour: u32) -> Self {
        Strips {
            planks,
            first_colour: colour,
            last_colour: colour,
            first_length: planks,
            last_length: planks,
            longest: planks,
            count: 1,
        }
    }

    fn join(self, right: Strips) -> Strips {
        let mut joined = Strips {
            planks: self.planks + right.planks,
            first_colour: self.first_colour,
            last_colour: right.last_colour,
            first_length: self.first_length,
            last_length: right.last_length,
            longest: self.longest.max(right.longest),
            count: self.count + right.count,
        };
        if self.last_colour == right.first_colour {
            joined.count -= 1;
            joined.longest = joined.longest.max(self.last_length + right.first_length);
            if self.count == 1 {
                joined.first_length += right.first_length;
            }
            if right.count == 1 {
                joined.last_length += self.last_length;
            }
        }
        joined
    }
}

/// Node i has the children 2 i and 2 i + 1; a range of planks is from its start up to, not including, its end.
struct Fence {
    nodes: Vec<Strips>,
    /// A colour that the planks below a node still have to get.
    pending: Vec<Option<u32>>,
}

impl Fence {
    fn new(planks: usize) -> Self {
        let leaves = planks.next_power_of_two();
        let mut fence = Fence {
            nodes: vec![Strips::plain(1, 0); 2 * leaves],
            pending: vec![None; 2 * leaves],
        };
        for node in (1..leaves).rev() {
            let planks = 2 * fence.nodes[2 * node].planks;
            fence.nodes[node] = Strips::plain(planks, 0);
        }
        fence
    }

    fn set(&mut self, node: usize, colour: u32) {
        self.nodes[node] = Strips::plain(self.nodes[node].planks, colour);
        self.pending[node] = Some(colour);
    }

    fn hand_on(&mut self, node: usize) {
        if let Some(colour) = self.pending[node].take() {
            self.set(2 * node, colour);
            self.set(2 * node + 1, colour);
        }
    }

    /// Paints planks start..end, counted from the first plank of the node.
    fn paint(&mut self, node: usize, start: usize, end: usize, colour: u32) {
        let planks = self.nodes[node].planks;
        if start == 0 && end == planks {
            self.set(node, colour);
            return;
        }
        self.hand_on(node);
        let half = planks / 2;
        if start < half {
            self.paint(2 * node, start, end.min(half), colour);
        }
        if end > half {
            self.paint(2 * node + 1, start.max(half) - half, end - half, colour);
        }
        self.nodes[node] = self.nodes[2 * node].join(self.nodes[2 * node + 1]);
    }

    fn look(&mut self, node: usize, start: usize, end: usize) -> Strips {
        let planks = self.nodes[node].planks;
        if start == 0 && end == planks {
            return self.nodes[node];
        }
        self.hand_on(node);
        let half = planks / 2;
        if end <= half {
            self.look(2 * node, start, end)
        } else if start >= half {
            self.look(2 * node + 1, start - half, end - half)
        } else {
            let left = self.look(2 * node, start, half);
            left.join(self.look(2 * node + 1, 0, end - half))
        }
    }
}

fn main() {
    let mut input = String::new();
    io::stdin().read_to_string(&mut input).expect("input");
    let mut tokens = input.split_ascii_whitespace();
    let mut fence = Fence::new(tokens.next().expect("n").parse().expect("n"));
    tokens.next().expect("q");

    let mut output = String::new();
    while let Some(kind) = tokens.next() {
        let left: usize = tokens.next().expect("l").parse().expect("l");
        let right: usize = tokens.next().expect("r").parse().expect("r");
        if kind == "P" {
            let colour = tokens.next().expect("c").parse().expect("c");
            fence.paint(1, left - 1, right, colour);
        } else {
            let strips = fence.look(1, left - 1, right);
            writeln!(output, "{} {}", strips.count, strips.longest).expect("write to a string");
        }
    }
    print!("{output}");
}
