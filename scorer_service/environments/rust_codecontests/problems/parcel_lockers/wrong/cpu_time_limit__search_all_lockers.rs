// Mistake: looks through all lockers for the smallest suitable one, anew for every parcel.
use std::io::Read;

fn main() {
    let mut input = String::new();
    std::io::stdin().read_to_string(&mut input).unwrap();
    let numbers: Vec<u64> = input
        .split_whitespace()
        .map(|x| x.parse().unwrap())
        .collect();
    let n = numbers[0] as usize;
    let mut parcels = numbers[2..2 + n].to_vec();
    let lockers = &numbers[2 + n..];
    parcels.sort();
    let mut used = vec![false; lockers.len()];
    let mut stored = 0;
    for parcel in parcels {
        let suitable = |&j: &usize| !used[j] && lockers[j] >= parcel && lockers[j] <= 2 * parcel;
        if let Some(j) = (0..lockers.len())
            .filter(suitable)
            .min_by_key(|&j| lockers[j])
        {
            used[j] = true;
            stored += 1;
        }
    }
    println!("{}", stored);
}
