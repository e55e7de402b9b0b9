// Counts warriors whose xor with a commander is below a limit, in a trie over the bits.
use std::io::{self, Read};

const BITS: u32 = 27;

#[derive(Clone, Copy, Default)]
struct Node {
    child: [usize; 2],
    warriors: i32,
}

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let mut numbers = text
        .split_ascii_whitespace()
        .map(|t| t.parse::<usize>().unwrap());
    let mut next = move || numbers.next().unwrap();
    // Node 0 stands for "no such node", node 1 is the root.
    let mut trie = vec![Node::default(); 2];
    for _ in 0..next() {
        let event = next();
        let personality = next();
        let mut at = 1;
        if event == 3 {
            let leadership = next();
            let mut respected = 0;
            for bit in (0..BITS).rev() {
                let own = personality >> bit & 1;
                if leadership >> bit & 1 == 1 {
                    let same = trie[at].child[own];
                    respected += trie[same].warriors;
                    at = trie[at].child[1 - own];
                } else {
                    at = trie[at].child[own];
                }
            }
            println!("{respected}");
            continue;
        }
        for bit in (0..BITS).rev() {
            let branch = personality >> bit & 1;
            if trie[at].child[branch] == 0 {
                trie[at].child[branch] = trie.len();
                trie.push(Node::default());
            }
            at = trie[at].child[branch];
            trie[at].warriors += if event == 1 { 1 } else { -1 };
        }
    }
}
