// best[i] is the best (total, -lit) over the first i sites; pairs compare in lexicographic order, so ties
// between totals fall to fewer lit sites. Site i is dark, or it is lit after the best of the first i - g - 1.
use std::io::{self, Read};

fn main() {
    let mut input = String::new();
    io::stdin().read_to_string(&mut input).expect("input");
    let mut numbers = input
        .split_ascii_whitespace()
        .map(|token| token.parse::<i64>().expect("integer"));
    let n = usize::try_from(numbers.next().expect("n")).expect("n");
    let gap = usize::try_from(numbers.next().expect("g")).expect("g");

    let mut best = vec![(0i64, 0i64); n + 1];
    for (i, value) in numbers.enumerate() {
        let (total, lit) = best[i.saturating_sub(gap)];
        best[i + 1] = best[i].max((total + value, lit - 1));
    }
    let (total, lit) = best[n];
    println!("{total} {}", -lit);
}
