// Mistake: lets `>` move the cursor beyond the end of the text and clamps it only when a letter is put in.
use std::io::Read;

fn main() {
    let mut input = String::new();
    std::io::stdin().read_to_string(&mut input).unwrap();
    let keys = input.lines().nth(1).unwrap();
    let mut text: Vec<u8> = Vec::new();
    let mut cursor = 0usize;
    for key in keys.bytes() {
        match key {
            b'<' => cursor -= (cursor > 0) as usize,
            b'>' => cursor += 1,
            b'[' => cursor = 0,
            b']' => cursor = text.len(),
            b'-' => {
                if cursor > 0 {
                    cursor -= 1;
                    if cursor < text.len() {
                        text.remove(cursor);
                    }
                }
            }
            b'/' => {
                if cursor < text.len() {
                    text.remove(cursor);
                }
            }
            letter => {
                text.insert(cursor.min(text.len()), letter);
                cursor += 1;
            }
        }
    }
    println!("{} {}", text.len(), cursor);
    println!(
        "{}",
        if text.is_empty() {
            "-".to_string()
        } else {
            String::from_utf8(text).unwrap()
        }
    );
}
