// Mistake: advances to the next locker without a look at whether one is left.
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
    let mut lockers = numbers[2 + n..].to_vec();
    parcels.sort();
    lockers.sort();
    let mut j = 0;
    let mut stored = 0;
    for parcel in parcels {
        if j == lockers.len() {
            break;
        }
        while lockers[j] < parcel {
            j += 1;
        }
        if lockers[j] <= 2 * parcel {
            stored += 1;
            j += 1;
        }
    }
    println!("{}", stored);
}
