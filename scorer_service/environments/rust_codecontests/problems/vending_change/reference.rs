// fewest[x] is the smallest number of coins that pays x. A box of c equal coins is split into bundles of
// 1, 2, 4, ... coins and a rest: together they make every count from 0 to c, and each is a 0/1 choice.
use std::io::{self, Read};

const UNPAYABLE: usize = usize::MAX / 2;

fn main() {
    let mut input = String::new();
    io::stdin().read_to_string(&mut input).expect("input");
    let mut numbers = input
        .split_ascii_whitespace()
        .map(|token| token.parse::<usize>().expect("integer"));
    let mut next = || numbers.next().expect("one more integer");

    let boxes = next();
    let amount = next();
    let mut fewest = vec![UNPAYABLE; amount + 1];
    fewest[0] = 0;
    for _ in 0..boxes {
        let worth = next();
        let mut left = next().min(amount / worth);
        let mut bundle = 1;
        while left > 0 {
            let coins = bundle.min(left);
            add_bundle(&mut fewest, worth * coins, coins);
            left -= coins;
            bundle *= 2;
        }
    }
    if fewest[amount] < UNPAYABLE {
        println!("{}", fewest[amount]);
    } else {
        println!("-1");
    }
}

/// Allows for one more bundle that pays `value` with `coins` coins; `value` is at most the amount.
fn add_bundle(fewest: &mut [usize], value: usize, coins: usize) {
    for paid in (value..fewest.len()).rev() {
        let with_bundle = fewest[paid - value] + coins;
        if with_bundle < fewest[paid] {
            fewest[paid] = with_bundle;
        }
    }
}
