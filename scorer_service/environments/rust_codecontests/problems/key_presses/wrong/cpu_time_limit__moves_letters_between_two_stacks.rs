// Mistake: two stacks round the cursor, so every jump to the other end moves the whole text.
use std::io::Read;

fn main() {
    let mut input = String::new();
    std::io::stdin().read_to_string(&mut input).unwrap();
    let mut left: Vec<u8> = Vec::new();
    let mut right: Vec<u8> = Vec::new();
    for key in input.lines().nth(1).unwrap().bytes() {
        match key {
            b'<' => right.extend(left.pop()),
            b'>' => left.extend(right.pop()),
            b'[' => {
                while let Some(letter) = left.pop() {
                    right.push(letter);
                }
            }
            b']' => {
                while let Some(letter) = right.pop() {
                    left.push(letter);
                }
            }
            b'-' => {
                left.pop();
            }
            b'/' => {
                right.pop();
            }
            letter => left.push(letter),
        }
    }
    let cursor = left.len();
    right.reverse();
    left.extend(right);
    println!("{} {}", left.len(), cursor);
    println!(
        "{}",
        if left.is_empty() {
            "-".to_string()
        } else {
            String::from_utf8(left).unwrap()
        }
    );
}
