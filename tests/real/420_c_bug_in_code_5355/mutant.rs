// Mistake: a coder who named both suspects is counted twice if another coder named the same two
use std::collections::HashMap;
use std::io::{self, Read};

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let numbers: Vec<usize> = text
        .split_ascii_whitespace()
        .map(|t| t.parse().unwrap())
        .collect();
    let (n, needed) = (numbers[0], numbers[1]);
    let mut named = vec![0usize; n + 1];
    let mut together: HashMap<(usize, usize), usize> = HashMap::new();
    for words in numbers[2..2 + 2 * n].chunks(2) {
        let (x, y) = (words[0], words[1]);
        named[x] += 1;
        named[y] += 1;
        together.insert((x.min(y), x.max(y)), 1);
    }
    let mut counts = named[1..].to_vec();
    counts.sort_unstable();
    let mut pairs = 0;
    let mut low = n;
    for high in 0..n {
        while low > 0 && counts[low - 1] + counts[high] >= needed {
            low -= 1;
        }
        // Partners before `high` in sorted order that reach the number with it.
        pairs += high - low.min(high);
    }
    for (&(x, y), &both) in &together {
        let sum = named[x] + named[y];
        if sum >= needed && sum - both < needed {
            pairs -= 1;
        }
    }
    println!("{pairs}");
}
