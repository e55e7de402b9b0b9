// Sorts both lists. The lockers that suit a parcel form a range whose two ends grow with the parcel,
// so the smallest parcel left takes the smallest locker left that suits it.
use std::io::{self, Read};

fn main() {
    let mut input = String::new();
    io::stdin()
        .read_to_string(&mut input)
        .expect("input is text");
    let mut numbers = input
        .split_ascii_whitespace()
        .map(|word| word.parse::<u64>().expect("a number"));
    let parcel_count = numbers.next().expect("n");
    numbers.next();
    let mut parcels: Vec<u64> = (0..parcel_count).filter_map(|_| numbers.next()).collect();
    let mut lockers: Vec<u64> = numbers.collect();
    parcels.sort_unstable();
    lockers.sort_unstable();
    let mut waiting = parcels.iter().peekable();
    let mut stored = 0;
    for locker in lockers {
        // A parcel too small for this locker is too small for all later ones.
        while waiting.next_if(|&&parcel| 2 * parcel < locker).is_some() {}
        if waiting.next_if(|&&parcel| parcel <= locker).is_some() {
            stored += 1;
        }
    }
    println!("{stored}");
}
