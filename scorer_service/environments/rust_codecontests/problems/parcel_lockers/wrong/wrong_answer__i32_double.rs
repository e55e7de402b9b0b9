// Mistake: doubles a size in i32, which wraps for parcels above 1073741823.
use std::io::Read;

fn main() {
    let mut input = String::new();
    std::io::stdin().read_to_string(&mut input).unwrap();
    let numbers: Vec<i32> = input
        .split_whitespace()
        .map(|x| x.parse().unwrap())
        .collect();
    let n = numbers[0] as usize;
    let mut parcels = numbers[2..2 + n].to_vec();
    let mut lockers = numbers[2 + n..].to_vec();
    parcels.sort();
    lockers.sort();
    let (mut i, mut j, mut stored) = (0, 0, 0);
    while i < parcels.len() && j < lockers.len() {
        if lockers[j] < parcels[i] {
            j += 1;
        } else if lockers[j] > parcels[i].wrapping_mul(2) {
            i += 1;
        } else {
            stored += 1;
            i += 1;
            j += 1;
        }
    }
    println!("{}", stored);
}
