// Mistake: trusts that enough seats are free and indexes the list of free seats with k.
use std::io::Read;

fn main() {
    let mut input = String::new();
    std::io::stdin().read_to_string(&mut input).unwrap();
    let mut lines = input.lines();
    let n: usize = lines
        .next()
        .unwrap()
        .split(' ')
        .next()
        .unwrap()
        .parse()
        .unwrap();
    let mut free: Vec<usize> = (1..=n).collect();
    let mut out = String::new();
    for line in lines {
        let (event, number) = line.split_once(' ').unwrap();
        let k: i64 = number.parse().unwrap();
        if event == "leave" {
            let at = free.partition_point(|&seat| seat < k as usize);
            free.insert(at, k as usize);
            continue;
        }
        let at = if k > 0 { k - 1 } else { free.len() as i64 + k };
        let seat = free.remove(at as usize);
        out += &format!("{}\n", seat);
    }
    print!("{}", out);
}
