// Mistake: writes the text of every snippet out.
use std::collections::HashMap;
use std::io::Read;

fn main() {
    let mut input = String::new();
    std::io::stdin().read_to_string(&mut input).unwrap();
    let mut lines = input.lines();
    let counts: Vec<usize> = lines
        .next()
        .unwrap()
        .split(' ')
        .map(|x| x.parse().unwrap())
        .collect();
    let mut texts: HashMap<&str, String> = HashMap::new();
    for _ in 0..counts[0] {
        let (name, body) = lines.next().unwrap().split_once('=').unwrap();
        let mut text = String::new();
        for chunk in body.trim_matches('"').split('}') {
            let (letters, reference) = chunk.split_once('{').unwrap_or((chunk, ""));
            text += letters;
            if !reference.is_empty() {
                text += &texts[reference];
            }
        }
        texts.insert(name, text);
    }
    for line in lines {
        let (name, k) = line.split_once(' ').unwrap();
        let k: usize = k.parse().unwrap();
        match texts[name].as_bytes().get(k - 1) {
            Some(&letter) => println!("{}", letter as char),
            None => println!("-"),
        }
    }
}
