// Mistake: goes down one reference at a time, which is slow in chains as deep as the file is long.
use std::collections::HashMap;
use std::io::Read;

enum Part {
    Text(String),
    Ref(usize),
}

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
    let mut ids: HashMap<String, usize> = HashMap::new();
    let mut bodies: Vec<Vec<Part>> = Vec::new();
    let mut lengths: Vec<u64> = Vec::new();
    for id in 0..counts[0] {
        let line = lines.next().unwrap();
        let (name, body) = line.split_once('=').unwrap();
        let mut parts = Vec::new();
        let mut length = 0u64;
        for chunk in body.trim_matches('"').split('}') {
            let (text, name) = chunk.split_once('{').unwrap_or((chunk, ""));
            if !text.is_empty() {
                length = length.saturating_add(text.len() as u64);
                parts.push(Part::Text(text.to_string()));
            }
            if !name.is_empty() {
                length = length.saturating_add(lengths[ids[name]]);
                parts.push(Part::Ref(ids[name]));
            }
        }
        ids.insert(name.to_string(), id);
        bodies.push(parts);
        lengths.push(length);
    }
    let mut out = String::new();
    for _ in 0..counts[1] {
        let (name, k) = lines.next().unwrap().split_once(' ').unwrap();
        let mut k: u64 = k.parse().unwrap();
        let mut id = ids[name];
        if k > lengths[id] {
            out += "-\n";
            continue;
        }
        'descend: loop {
            for part in &bodies[id] {
                match part {
                    Part::Text(text) => {
                        if k <= text.len() as u64 {
                            out.push(text.as_bytes()[k as usize - 1] as char);
                            break 'descend;
                        }
                        k -= text.len() as u64;
                    }
                    Part::Ref(inner) => {
                        if k <= lengths[*inner] {
                            id = *inner;
                            continue 'descend;
                        }
                        k -= lengths[*inner];
                    }
                }
            }
            out.push('-');
            break;
        }
        out.push('\n');
    }
    print!("{}", out);
}
