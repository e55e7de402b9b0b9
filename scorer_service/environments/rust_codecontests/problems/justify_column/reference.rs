// Cuts each paragraph greedily into lines; in a line with g gaps and s blanks, gap number i counted from
// the left gets s / g blanks, and one more if it is among the last s % g.
use std::io::{self, Read, Write};

fn push_line(output: &mut String, words: &[&str], width: usize, is_last: bool) {
    let gaps = words.len() - 1;
    let letters: usize = words.iter().map(|word| word.len()).sum();
    let blanks = if is_last {
        gaps
    } else {
        width.saturating_sub(letters)
    };
    for (index, word) in words.iter().enumerate() {
        if index > 0 {
            let is_wide = gaps - index < blanks % gaps;
            for _ in 0..blanks / gaps + usize::from(is_wide) {
                output.push(' ');
            }
        }
        output.push_str(word);
    }
    output.push('\n');
}

fn push_paragraph(output: &mut String, words: &[&str], width: usize) {
    if words.is_empty() {
        return;
    }
    if !output.is_empty() {
        output.push('\n');
    }
    let mut start = 0;
    let mut length = words[0].len();
    for (index, word) in words.iter().enumerate().skip(1) {
        if length + 1 + word.len() > width {
            push_line(output, &words[start..index], width, false);
            start = index;
            length = word.len();
        } else {
            length += 1 + word.len();
        }
    }
    push_line(output, &words[start..], width, true);
}

fn main() {
    let mut input = String::new();
    io::stdin()
        .read_to_string(&mut input)
        .expect("input is text");
    let mut lines = input.lines();
    let width = lines
        .next()
        .expect("W")
        .trim()
        .parse()
        .expect("W is a number");
    let mut output = String::new();
    let mut words = Vec::new();
    for line in lines {
        let before = words.len();
        words.extend(line.split_ascii_whitespace());
        if words.len() == before {
            push_paragraph(&mut output, &words, width);
            words.clear();
        }
    }
    push_paragraph(&mut output, &words, width);
    io::stdout().write_all(output.as_bytes()).expect("write");
}
