// Best keyboard for a password, key by key: a set of left keys pays for every pair it separates.
use std::io::{self, Read};

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let tokens: Vec<&str> = text.split_ascii_whitespace().collect();
    let m: usize = tokens[1].parse().unwrap();
    let password = tokens[2].as_bytes();
    let mut pairs = vec![vec![0i32; m]; m];
    for pair in password.windows(2) {
        let (a, b) = (usize::from(pair[0] - b'a'), usize::from(pair[1] - b'a'));
        if a != b {
            pairs[a][b] += 1;
            pairs[b][a] += 1;
        }
    }
    let mut separated = vec![0i32; 1 << m];
    let mut slowness = vec![i32::MAX; 1 << m];
    slowness[0] = 0;
    for keys in 1usize..1 << m {
        let last = keys.trailing_zeros() as usize;
        separated[keys] = separated[keys & (keys - 1)];
        for other in 0..m {
            if keys >> other & 1 == 1 {
                separated[keys] -= pairs[last][other];
            } else {
                separated[keys] += pairs[last][other];
            }
        }
        for key in 0..m {
            if keys >> key & 1 == 1 {
                slowness[keys] = slowness[keys].min(slowness[keys ^ 1 << key] + separated[keys]);
            }
        }
    }
    println!("{}", slowness[(1 << m) - 1]);
}
