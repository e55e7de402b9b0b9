// Mistake: the inner loop that skips lit pictures does not stop at the end of the list.
use std::io::Read;

fn main() {
    let mut input = String::new();
    std::io::stdin().read_to_string(&mut input).unwrap();
    let numbers: Vec<i64> = input
        .split_whitespace()
        .map(|x| x.parse().unwrap())
        .collect();
    let length = numbers[1];
    let mut pictures = numbers[2..].to_vec();
    pictures.sort();
    let mut starts = Vec::new();
    let mut i = 0;
    while i < pictures.len() {
        starts.push(pictures[i]);
        let reach = pictures[i] + length;
        while pictures[i] <= reach {
            i += 1;
        }
    }
    println!("{}", starts.len());
    for s in starts {
        print!("{} ", s);
    }
    println!();
}
