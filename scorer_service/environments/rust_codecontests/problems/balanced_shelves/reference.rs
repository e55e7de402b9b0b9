// The least cost is convex in k, so a fee for each shelf replaces the bound on their number (Lagrange), and for one
// fee the best split is a convex hull trick. With costs doubled and an odd fee, no two numbers of shelves ever tie.
use std::io::{self, Read};

/// A split of the first books: cost doubled and with fees, and the number of shelves.
#[derive(Clone, Copy)]
struct Split {
    doubled_cost: i64,
    shelves: usize,
}

/// The line y = slope * x + height that a split before the last shelf contributes.
#[derive(Clone, Copy)]
struct Line {
    slope: i64,
    height: i64,
    shelves: usize,
}

impl Line {
    fn at(&self, x: i64) -> i64 {
        self.slope * x + self.height
    }

    /// Whether `middle` is nowhere below both `self` and `last`; slopes fall from self to last.
    fn hides(&self, middle: &Line, last: &Line) -> bool {
        let left = i128::from(middle.height - self.height) * i128::from(middle.slope - last.slope);
        let right = i128::from(last.height - middle.height) * i128::from(self.slope - middle.slope);
        left >= right
    }
}

/// The best split of all books where each shelf costs `fee` more; `sums` are the sums of the first thicknesses.
fn split_with_fee(sums: &[i64], fee: i64, hull: &mut Vec<Line>) -> Split {
    hull.clear();
    let mut lowest = 0;
    let mut split = Split {
        doubled_cost: 0,
        shelves: 0,
    };
    for pair in sums.windows(2) {
        let (before, now) = (pair[0], pair[1]);
        push(
            hull,
            Line {
                slope: -4 * before,
                height: split.doubled_cost + 2 * before * before,
                shelves: split.shelves,
            },
        );
        lowest = lowest.min(hull.len() - 1);
        while lowest + 1 < hull.len() && hull[lowest + 1].at(now) <= hull[lowest].at(now) {
            lowest += 1;
        }
        split = Split {
            doubled_cost: hull[lowest].at(now) + 2 * now * now + fee,
            shelves: hull[lowest].shelves + 1,
        };
    }
    split
}

fn push(hull: &mut Vec<Line>, line: Line) {
    if let Some(last) = hull.last() {
        if last.slope == line.slope {
            if last.height <= line.height {
                return;
            }
            hull.pop();
        }
    }
    while let [.., first, middle] = hull[..] {
        if !first.hides(&middle, &line) {
            break;
        }
        hull.pop();
    }
    hull.push(line);
}

fn main() {
    let mut input = String::new();
    io::stdin().read_to_string(&mut input).expect("input");
    let mut numbers = input.split_ascii_whitespace();
    let mut next = || numbers.next().expect("one more integer");
    let n: usize = next().parse().expect("n");
    let shelves: usize = next().parse().expect("k");
    let mut sums = vec![0i64];
    for i in 0..n {
        sums.push(sums[i] + next().parse::<i64>().expect("thickness"));
    }

    // The smallest odd fee 2 * half + 1 at which the best split needs at most k shelves.
    let mut hull = Vec::with_capacity(n);
    let mut enough = sums[n] * sums[n];
    let mut too_small = -1;
    while enough - too_small > 1 {
        let half = too_small + (enough - too_small) / 2;
        if split_with_fee(&sums, 2 * half + 1, &mut hull).shelves <= shelves {
            enough = half;
        } else {
            too_small = half;
        }
    }
    let fee = 2 * enough + 1;
    let split = split_with_fee(&sums, fee, &mut hull);
    let used = i64::try_from(split.shelves).expect("shelves");
    let wanted = i64::try_from(shelves).expect("shelves");
    // Between `used` and `wanted` shelves, each further shelf saves exactly the even fee below, 2 * enough.
    let doubled = split.doubled_cost - fee * used - 2 * enough * (wanted - used);
    println!("{}", doubled / 2);
}
