// Mistake: gives parcels the smallest locker that suits them in the order of arrival, not of size.
use std::collections::BTreeMap;
use std::io::Read;

fn main() {
    let mut input = String::new();
    std::io::stdin().read_to_string(&mut input).unwrap();
    let numbers: Vec<u64> = input
        .split_whitespace()
        .map(|x| x.parse().unwrap())
        .collect();
    let n = numbers[0] as usize;
    let mut lockers: BTreeMap<u64, u32> = BTreeMap::new();
    for &size in &numbers[2 + n..] {
        *lockers.entry(size).or_insert(0) += 1;
    }
    let mut stored = 0;
    for &parcel in &numbers[2..2 + n] {
        let found = lockers
            .range(parcel..=2 * parcel)
            .next()
            .map(|(&size, _)| size);
        if let Some(size) = found {
            stored += 1;
            *lockers.get_mut(&size).unwrap() -= 1;
            if lockers[&size] == 0 {
                lockers.remove(&size);
            }
        }
    }
    println!("{}", stored);
}
