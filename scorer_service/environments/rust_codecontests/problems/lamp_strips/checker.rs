// Output validator: `checker INPUT EXPECTED < output`; exit 42 accepts, 43 rejects, 1 is a fault of the problem.
// The strips must be as few as in EXPECTED, start within the stated range and light every picture.
use std::io::Read;
use std::process::ExitCode;

const ACCEPTED: u8 = 42;
const REJECTED: u8 = 43;
const FAULT: u8 = 1;
const START_BOUND: i64 = 4_000_000_000;

fn read_numbers(path: Option<String>) -> Option<Vec<i64>> {
    let text = std::fs::read_to_string(path?).ok()?;
    text.split_ascii_whitespace()
        .map(|word| word.parse().ok())
        .collect()
}

/// Returns the starts in ascending order, or None where the output is malformed or leaves a picture dark.
fn parse_starts(output: &[u8], pictures: &[i64], length: i64) -> Option<Vec<i64>> {
    let mut numbers = std::str::from_utf8(output)
        .ok()?
        .split_ascii_whitespace()
        .map(|word| word.parse::<i64>().ok());
    let count = usize::try_from(numbers.next()??).ok()?;
    let mut starts: Vec<i64> = numbers.collect::<Option<_>>()?;
    if starts.len() != count
        || starts
            .iter()
            .any(|start| !(-START_BOUND..=START_BOUND).contains(start))
    {
        return None;
    }
    starts.sort_unstable();
    let lit = |picture: &i64| {
        let before = starts.partition_point(|start| start <= picture);
        before > 0 && starts[before - 1] + length >= *picture
    };
    pictures.iter().all(lit).then_some(starts)
}

fn judge() -> Option<u8> {
    let mut arguments = std::env::args().skip(1);
    let input = read_numbers(arguments.next())?;
    let expected = read_numbers(arguments.next())?;
    let (length, pictures) = (*input.get(1)?, input.get(2..)?);
    let best = usize::try_from(*expected.first()?).ok()?;
    let mut output = Vec::new();
    std::io::stdin().read_to_end(&mut output).ok()?;
    let Some(starts) = parse_starts(&output, pictures, length) else {
        return Some(REJECTED);
    };
    Some(match starts.len() {
        count if count < best => FAULT,
        count if count == best => ACCEPTED,
        _ => REJECTED,
    })
}

fn main() -> ExitCode {
    ExitCode::from(judge().unwrap_or(FAULT))
}
