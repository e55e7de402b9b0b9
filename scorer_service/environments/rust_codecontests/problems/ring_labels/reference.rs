// Turns every label to its alphabetically first reading in linear time, by a race of two start positions
// that skips all starts proven worse, and counts equal readings in an ordered map.
use std::collections::BTreeMap;
use std::io::{self, Read, Write};

fn first_start(label: &[u8]) -> usize {
    let length = label.len();
    let at = |index: usize| {
        label[if index < length {
            index
        } else {
            index - length
        }]
    };
    let (mut best, mut rival, mut same) = (0, 1, 0);
    while rival < length && same < length {
        let (left, right) = (at(best + same), at(rival + same));
        if left == right {
            same += 1;
            continue;
        }
        if left < right {
            rival += same + 1;
        } else {
            // The starts best..=best + same all lose against their counterpart behind `rival`.
            let next = (best + same + 1).max(rival);
            best = next;
            rival = next + 1;
        }
        same = 0;
    }
    best
}

fn main() {
    let mut input = String::new();
    io::stdin()
        .read_to_string(&mut input)
        .expect("input is text");
    let mut rings: BTreeMap<String, u32> = BTreeMap::new();
    for label in input.split_ascii_whitespace().skip(1) {
        let start = first_start(label.as_bytes());
        let reading = format!("{}{}", &label[start..], &label[..start]);
        *rings.entry(reading).or_insert(0) += 1;
    }
    let most = rings.values().copied().max().expect("a ring");
    let (reading, _) = rings
        .iter()
        .find(|&(_, &count)| count == most)
        .expect("a ring");
    let output = format!("{}\n{most} {reading}\n", rings.len());
    io::stdout().write_all(output.as_bytes()).expect("write");
}
