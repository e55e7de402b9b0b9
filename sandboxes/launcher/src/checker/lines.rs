//! Lines of tokens in any order.

use std::cmp::Ordering;

use super::decimal::Decimal;
use super::{Numbers, is_space, token_equal, tokens, tokens_equal};

/// Lines that no sorting paired, up to which every pairing is tried. More is refused: such an output is wrong in
/// many lines, or has many lines within a tolerance of each other, for which a special judge is the right tool.
const MOST_TO_PAIR: usize = 256;

/// Whether both have the same lines as often, in any order.
pub fn equal_in_any_order(expected: &[u8], output: &[u8], numbers: Numbers) -> bool {
    let (mut expected, mut output) = (lines(expected), lines(output));
    if expected.len() != output.len() {
        return false;
    }
    expected.sort_by(|a, b| order(a, b));
    output.sort_by(|a, b| order(a, b));
    let unpaired: Vec<usize> = (0..expected.len())
        .filter(|index| !tokens_equal(expected[*index], output[*index], numbers))
        .collect();
    match numbers {
        _ if unpaired.is_empty() => true,
        // Equality of values is what the order is by, so that sorting pairs all that can be.
        Numbers::SameValue => false,
        Numbers::DecimalsWithin(_) | Numbers::AllWithin(_) => {
            // "Within a tolerance" goes not from neighbour to neighbour, so all pairs may matter. Lines that are
            // equal as they are stay together; the others are few, or the output is given up.
            unpaired.len() <= MOST_TO_PAIR && pair(&unpaired, &expected, &output, numbers)
        }
    }
}

fn lines(bytes: &[u8]) -> Vec<&[u8]> {
    bytes.split(|byte| *byte == b'\n').filter(|line| !line.iter().all(|byte| is_space(*byte))).collect()
}

/// A total order in which lines of the same value are equal: text before numbers, numbers by value.
fn order(a: &[u8], b: &[u8]) -> Ordering {
    tokens(a).map(Token).cmp(tokens(b).map(Token))
}

struct Token<'a>(&'a [u8]);

impl Ord for Token<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        match (Decimal::parse(self.0), Decimal::parse(other.0)) {
            (Some(a), Some(b)) => a.order(&b),
            (Some(_), None) => Ordering::Greater,
            (None, Some(_)) => Ordering::Less,
            (None, None) => {
                let lower = |text: &'_ [u8]| text.to_ascii_lowercase();
                lower(self.0).cmp(&lower(other.0))
            }
        }
    }
}

impl PartialOrd for Token<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Token<'_> {
    fn eq(&self, other: &Self) -> bool {
        token_equal(self.0, other.0, Numbers::SameValue)
    }
}

impl Eq for Token<'_> {}

/// Whether a perfect pairing of the lines at `places` exists (augmenting paths).
fn pair(places: &[usize], expected: &[&[u8]], output: &[&[u8]], numbers: Numbers) -> bool {
    let fits: Vec<Vec<usize>> = places
        .iter()
        .map(|line| {
            let equal = |other: &usize| tokens_equal(expected[*line], output[places[*other]], numbers);
            (0..places.len()).filter(equal).collect()
        })
        .collect();
    let mut partner = vec![None; places.len()];
    (0..places.len()).all(|line| augment(line, &fits, &mut partner, &mut vec![false; places.len()]))
}

fn augment(line: usize, fits: &[Vec<usize>], partner: &mut [Option<usize>], seen: &mut [bool]) -> bool {
    for other in &fits[line] {
        if !std::mem::replace(&mut seen[*other], true)
            && partner[*other].is_none_or(|current| augment(current, fits, partner, seen))
        {
            partner[*other] = Some(line);
            return true;
        }
    }
    false
}
