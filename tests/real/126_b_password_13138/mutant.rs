// Mistake: gives up when the longest border does not occur inside, without trying a shorter one
use std::io;

fn main() {
    let mut line = String::new();
    io::stdin().read_line(&mut line).unwrap();
    let text = line.trim();
    let s = text.as_bytes();
    let n = s.len();
    // border[i]: length of the longest proper border of the first i letters.
    let mut border = vec![0; n + 1];
    for i in 1..n {
        let mut length = border[i];
        while length > 0 && s[i] != s[length] {
            length = border[length];
        }
        border[i + 1] = length + usize::from(s[i] == s[length]);
    }
    let longest = border[n];
    let inside = border[..n].contains(&longest);
    let answer = if inside { longest } else { 0 };
    println!(
        "{}",
        if answer > 0 {
            &text[..answer]
        } else {
            "Just a legend"
        }
    );
}
