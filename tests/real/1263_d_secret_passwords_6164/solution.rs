// Counts groups of passwords linked by common letters: components of the letters in use.
use std::io::{self, Read};

fn find(leader: &[usize; 26], mut v: usize) -> usize {
    while leader[v] != v {
        v = leader[v];
    }
    v
}

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let mut leader: [usize; 26] = std::array::from_fn(|c| c);
    let mut used = [false; 26];
    for password in text.split_ascii_whitespace().skip(1) {
        let mut last = None;
        for letter in password.bytes() {
            let c = usize::from(letter - b'a');
            used[c] = true;
            let root = find(&leader, c);
            if let Some(other) = last {
                leader[find(&leader, other)] = root;
            }
            last = Some(c);
        }
    }
    println!("{}", (0..26).filter(|&c| used[c] && leader[c] == c).count());
}
