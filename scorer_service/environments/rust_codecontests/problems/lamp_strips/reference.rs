// Sorts the pictures; the leftmost unlit one can do no better than a strip that starts right at it,
// since any strip that lights it and starts earlier reaches less far to the right.
use std::fmt::Write as _;
use std::io::{self, Read, Write as _};

fn main() {
    let mut input = String::new();
    io::stdin()
        .read_to_string(&mut input)
        .expect("input is text");
    let mut numbers = input
        .split_ascii_whitespace()
        .map(|word| word.parse::<i64>().expect("a number"));
    numbers.next();
    let length = numbers.next().expect("length");
    let mut pictures: Vec<i64> = numbers.collect();
    pictures.sort_unstable();
    let mut starts: Vec<i64> = Vec::new();
    for picture in pictures {
        if starts.last().is_none_or(|start| start + length < picture) {
            starts.push(picture);
        }
    }
    let mut output = format!("{}\n", starts.len());
    for start in starts {
        write!(output, "{start} ").expect("write to a string");
    }
    output.pop();
    output.push('\n');
    io::stdout().write_all(output.as_bytes()).expect("write");
}
