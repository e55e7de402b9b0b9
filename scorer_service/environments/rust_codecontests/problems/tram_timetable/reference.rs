// Being earlier at a stop never makes a later arrival necessary, so Dijkstra's method works on arrival times.
// The ride by which a stop was reached first leads back to the start.
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fmt::Write;
use std::io::{self, Read};

struct Line {
    from: usize,
    to: usize,
    first: u64,
    period: u64,
    duration: u64,
}

impl Line {
    /// When the first tram that leaves at `time` or later arrives.
    fn arrival(&self, time: u64) -> u64 {
        let waited_for = time.saturating_sub(self.first).div_ceil(self.period);
        self.first + waited_for * self.period + self.duration
    }
}

fn main() {
    let mut input = String::new();
    io::stdin().read_to_string(&mut input).expect("input");
    let mut tokens = input.split_ascii_whitespace();
    let mut next = || tokens.next().expect("one more integer");

    let n: usize = next().parse().expect("n");
    let m: usize = next().parse().expect("m");
    let mut lines = Vec::with_capacity(m);
    let mut leaving = vec![Vec::new(); n + 1];
    for i in 0..m {
        let line = Line {
            from: next().parse().expect("u"),
            to: next().parse().expect("v"),
            first: next().parse().expect("s"),
            period: next().parse().expect("p"),
            duration: next().parse().expect("d"),
        };
        leaving[line.from].push(i);
        lines.push(line);
    }

    let mut earliest = vec![u64::MAX; n + 1];
    let mut last_ride = vec![None; n + 1];
    let mut queue = BinaryHeap::new();
    earliest[1] = 0;
    queue.push(Reverse((0, 1)));
    while let Some(Reverse((time, stop))) = queue.pop() {
        if time > earliest[stop] {
            continue;
        }
        for &i in &leaving[stop] {
            let to = lines[i].to;
            let arrival = lines[i].arrival(time);
            if arrival < earliest[to] {
                earliest[to] = arrival;
                last_ride[to] = Some(i);
                queue.push(Reverse((arrival, to)));
            }
        }
    }

    if earliest[n] == u64::MAX {
        println!("-1");
        return;
    }
    let mut rides = Vec::new();
    let mut stop = n;
    while let Some(i) = last_ride[stop] {
        rides.push(i + 1);
        stop = lines[i].from;
    }
    let mut output = format!("{} {}\n", earliest[n], rides.len());
    for (i, ride) in rides.iter().rev().enumerate() {
        let separator = if i == 0 { "" } else { " " };
        write!(output, "{separator}{ride}").expect("write to a string");
    }
    println!("{output}");
}
