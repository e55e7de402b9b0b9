// Mistake: opposite directions upwards and downwards are taken for different lines
use std::collections::HashMap;
use std::io::{self, Read};

fn gcd(a: i32, b: i32) -> i32 {
    if b == 0 {
        a.abs()
    } else {
        gcd(b, a % b)
    }
}

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let numbers: Vec<i32> = text
        .split_ascii_whitespace()
        .map(|t| t.parse().unwrap())
        .collect();
    let points: Vec<&[i32]> = numbers[1..]
        .chunks_exact(2)
        .take(numbers[0] as usize)
        .collect();
    let mut triangles = 0u64;
    for (i, a) in points.iter().enumerate() {
        let mut seen: HashMap<(i32, i32), u64> = HashMap::new();
        for (before, b) in points[i + 1..].iter().enumerate() {
            let (mut dx, mut dy) = (b[0] - a[0], b[1] - a[1]);
            let common = gcd(dx, dy);
            if dx < 0 {
                (dx, dy) = (-dx, -dy);
            }
            let same = seen.entry((dx / common, dy / common)).or_default();
            triangles += before as u64 - *same;
            *same += 1;
        }
    }
    println!("{triangles}");
}
