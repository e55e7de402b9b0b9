// Mistake: uses 0 for "no colour pending" in the lazy segment tree, though 0 is a colour.
use std::io::{self, Read};

// colours at both ends, lengths of the strips there, longest strip, number of strips
type Node = (u32, u32, usize, usize, usize, usize);

fn join(a: Node, b: Node) -> Node {
    let mut j = (a.0, b.1, a.2, b.3, a.4.max(b.4), a.5 + b.5);
    if a.1 == b.0 {
        j.5 -= 1;
        j.4 = j.4.max(a.3 + b.2);
        if a.5 == 1 {
            j.2 = a.2 + b.2;
        }
        if b.5 == 1 {
            j.3 = a.3 + b.3;
        }
    }
    j
}

struct Tree {
    nodes: Vec<Node>,
    lazy: Vec<u32>,
}

impl Tree {
    fn set(&mut self, v: usize, len: usize, c: u32) {
        self.nodes[v] = (c, c, len, len, len, 1);
        self.lazy[v] = c;
    }

    fn build(&mut self, v: usize, a: usize, b: usize) {
        self.nodes[v] = (0, 0, b - a, b - a, b - a, 1);
        if b - a > 1 {
            self.build(2 * v, a, (a + b) / 2);
            self.build(2 * v + 1, (a + b) / 2, b);
        }
    }

    fn push(&mut self, v: usize, a: usize, b: usize) {
        let m = (a + b) / 2;
        let c = self.lazy[v];
        if c != 0 {
            self.set(2 * v, m - a, c);
            self.set(2 * v + 1, b - m, c);
            self.lazy[v] = 0;
        }
    }

    fn paint(&mut self, v: usize, a: usize, b: usize, l: usize, r: usize, c: u32) {
        if l <= a && b <= r {
            self.set(v, b - a, c);
        } else if l < b && a < r {
            self.push(v, a, b);
            self.paint(2 * v, a, (a + b) / 2, l, r, c);
            self.paint(2 * v + 1, (a + b) / 2, b, l, r, c);
            self.nodes[v] = join(self.nodes[2 * v], self.nodes[2 * v + 1]);
        }
    }

    fn look(&mut self, v: usize, a: usize, b: usize, l: usize, r: usize) -> Node {
        let m = (a + b) / 2;
        if l <= a && b <= r {
            return self.nodes[v];
        }
        self.push(v, a, b);
        if r <= m {
            self.look(2 * v, a, m, l, r)
        } else if l >= m {
            self.look(2 * v + 1, m, b, l, r)
        } else {
            join(
                self.look(2 * v, a, m, l, r),
                self.look(2 * v + 1, m, b, l, r),
            )
        }
    }
}

fn main() {
    let mut input = String::new();
    io::stdin().read_to_string(&mut input).unwrap();
    let mut it = input.split_ascii_whitespace();
    let n: usize = it.next().unwrap().parse().unwrap();
    it.next();
    let mut tree = Tree {
        nodes: vec![(0, 0, 1, 1, 1, 1); 4 * n],
        lazy: vec![0; 4 * n],
    };
    tree.build(1, 0, n);
    let mut out = String::new();
    while let Some(kind) = it.next() {
        let l = it.next().unwrap().parse::<usize>().unwrap() - 1;
        let r = it.next().unwrap().parse::<usize>().unwrap();
        if kind == "P" {
            let c: u32 = it.next().unwrap().parse().unwrap();
            tree.paint(1, 0, n, l, r, c);
        } else {
            let (_, _, _, _, longest, count) = tree.look(1, 0, n, l, r);
            out += &format!("{count} {longest}\n");
        }
    }
    print!("{out}");
}
