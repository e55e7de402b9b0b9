// Ways to build a string at both ends so that it starts with T: intervals of final positions.
use std::io::{self, Read};

const MODULUS: u64 = 998_244_353;

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let mut tokens = text.split_ascii_whitespace();
    let s = tokens.next().unwrap().as_bytes();
    let t = tokens.next().unwrap().as_bytes();
    let n = s.len();
    let fits = |letter: u8, position: usize| t.get(position).is_none_or(|&c| c == letter);
    // ways[l]: the first `length` letters fill the positions l.. of the result.
    let mut ways: Vec<u64> = (0..n).map(|l| 2 * u64::from(fits(s[0], l))).collect();
    let mut answer = if t.len() == 1 { ways[0] } else { 0 };
    for length in 2..=n {
        let letter = s[length - 1];
        for l in 0..=n - length {
            let at_front = if fits(letter, l) { ways[l + 1] } else { 0 };
            let at_back = if fits(letter, l + length - 1) {
                ways[l]
            } else {
                0
            };
            ways[l] = (at_front + at_back) % MODULUS;
        }
        if length >= t.len() {
            answer += ways[0];
        }
    }
    println!("{}", answer % MODULUS);
}
