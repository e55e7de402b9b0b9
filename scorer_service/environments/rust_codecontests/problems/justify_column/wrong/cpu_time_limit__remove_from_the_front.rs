// Mistake: takes words off the front of a Vec, which moves all the others every time.
use std::io::Read;

fn main() {
    let mut input = String::new();
    std::io::stdin().read_to_string(&mut input).unwrap();
    let mut lines = input.lines();
    let width: usize = lines.next().unwrap().trim().parse().unwrap();
    let mut paragraphs: Vec<Vec<&str>> = vec![vec![]];
    for line in lines {
        if line.trim().is_empty() {
            paragraphs.push(vec![]);
        }
        let last = paragraphs.len() - 1;
        paragraphs[last].extend(line.split_whitespace());
    }
    paragraphs.retain(|words| !words.is_empty());
    let mut output: Vec<String> = Vec::new();
    for mut words in paragraphs {
        if !output.is_empty() {
            output.push(String::new());
        }
        while !words.is_empty() {
            let first = words.remove(0);
            let mut line = vec![first];
            let mut length = first.len();
            while !words.is_empty() && length + 1 + words[0].len() <= width {
                let word = words.remove(0);
                length += 1 + word.len();
                line.push(word);
            }
            if words.is_empty() || line.len() == 1 {
                output.push(line.join(" "));
                continue;
            }
            let gaps = line.len() - 1;
            let extra = width - length;
            let mut text = line[0].to_string();
            for i in 1..line.len() {
                let wide = gaps - i < extra % gaps;
                text += &" ".repeat(1 + extra / gaps + wide as usize);
                text += line[i];
            }
            output.push(text);
        }
    }
    println!("{}", output.join("\n"));
}
