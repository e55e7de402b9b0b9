// A Fenwick tree over the seats counts the free ones; going down its powers of two finds the k-th free
// seat. The |k|-th from the right is number free + 1 - |k| from the left.
use std::fmt::Write as _;
use std::io::{self, Read, Write as _};

struct FreeSeats {
    tree: Vec<usize>,
    count: usize,
}

impl FreeSeats {
    fn all(seats: usize) -> Self {
        let tree = (0..=seats)
            .map(|index| index & index.wrapping_neg())
            .collect();
        FreeSeats { tree, count: seats }
    }

    fn remove(&mut self, mut seat: usize) {
        self.count -= 1;
        while let Some(cell) = self.tree.get_mut(seat) {
            *cell -= 1;
            seat += seat & seat.wrapping_neg();
        }
    }

    fn add(&mut self, mut seat: usize) {
        self.count += 1;
        while let Some(cell) = self.tree.get_mut(seat) {
            *cell += 1;
            seat += seat & seat.wrapping_neg();
        }
    }

    /// Returns the free seat with this rank from the left, counted from 1; there must be one.
    fn find(&self, mut rank: usize) -> usize {
        let mut before = 0;
        let mut step = self.tree.len().next_power_of_two();
        while step > 0 {
            if let Some(&free) = self.tree.get(before + step) {
                if free < rank {
                    rank -= free;
                    before += step;
                }
            }
            step /= 2;
        }
        before + 1
    }
}

fn main() {
    let mut input = String::new();
    io::stdin()
        .read_to_string(&mut input)
        .expect("input is text");
    let mut words = input.split_ascii_whitespace();
    let seats = words.next().and_then(|word| word.parse().ok()).expect("n");
    words.next();
    let mut free = FreeSeats::all(seats);
    let mut output = String::new();
    while let Some(event) = words.next() {
        let number = words.next().expect("a number");
        if event == "leave" {
            free.add(number.parse().expect("a seat"));
            continue;
        }
        let distance: usize = number.trim_start_matches('-').parse().expect("k");
        let mut seat = 0;
        if distance <= free.count {
            let is_from_right = number.starts_with('-');
            seat = free.find(if is_from_right {
                free.count + 1 - distance
            } else {
                distance
            });
            free.remove(seat);
        }
        writeln!(output, "{seat}").expect("write to a string");
    }
    io::stdout().write_all(output.as_bytes()).expect("write");
}
