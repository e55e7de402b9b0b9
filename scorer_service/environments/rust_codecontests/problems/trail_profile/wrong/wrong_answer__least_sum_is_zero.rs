// Takes the least sum for 0, not for a zigzag of 0 and 1: the trail dives below the sea.
use std::io::{self, Read};

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let v: Vec<i64> = text
        .split_ascii_whitespace()
        .map(|t| t.parse().unwrap())
        .collect();
    let (n, s) = (v[0], v[1]);

    let high = n * (n - 1) / 2;
    if s > high || (high - s) % 2 != 0 {
        println!("NO");
        return;
    }
    let (mut h, mut left) = (0i64, s);
    let mut out = String::new();
    for k in (0..n - 1).rev() {
        let up = h + 1;
        let down_run = k.min(up);
        let least = down_run * up - down_run * (down_run + 1) / 2 + (k - down_run + 1) / 2;
        if up + least <= left {
            h += 1;
            out.push('U');
        } else {
            h -= 1;
            out.push('D');
        }
        left -= h;
    }
    println!("YES\n{}", out);
}
