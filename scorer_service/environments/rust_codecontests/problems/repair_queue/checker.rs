// Output validator: `checker INPUT EXPECTED < output`; exit 42 accepts, 43 rejects, 1 is a fault of the problem.
// The repairs must be distinct, all in time in the printed order, and as many as in EXPECTED.
use std::io::Read;
use std::process::ExitCode;

const ACCEPTED: u8 = 42;
const REJECTED: u8 = 43;
const FAULT: u8 = 1;

fn read_numbers(path: Option<String>) -> Option<Vec<u64>> {
    let text = std::fs::read_to_string(path?).ok()?;
    text.split_ascii_whitespace()
        .map(|word| word.parse().ok())
        .collect()
}

/// Returns how many repairs the output does, or None where it is malformed or one of them is late.
fn count_done(output: &[u8], repairs: &[u64], cleaning: u64) -> Option<usize> {
    let mut numbers = std::str::from_utf8(output)
        .ok()?
        .split_ascii_whitespace()
        .map(|word| word.parse::<usize>().ok());
    let claimed = numbers.next()??;
    let mut is_done = vec![false; repairs.len() / 2];
    let mut done = 0;
    let mut bench_free_at = 0;
    for number in numbers {
        let index = number?.checked_sub(1)?;
        if std::mem::replace(is_done.get_mut(index)?, true) {
            return None;
        }
        let finished_at = bench_free_at + repairs[2 * index];
        if finished_at > repairs[2 * index + 1] {
            return None;
        }
        bench_free_at = finished_at + cleaning;
        done += 1;
    }
    (done == claimed).then_some(done)
}

fn judge() -> Option<u8> {
    let mut arguments = std::env::args().skip(1);
    let input = read_numbers(arguments.next())?;
    let expected = read_numbers(arguments.next())?;
    let (cleaning, repairs) = (*input.get(1)?, input.get(2..)?);
    let best = usize::try_from(*expected.first()?).ok()?;
    let mut output = Vec::new();
    std::io::stdin().read_to_end(&mut output).ok()?;
    Some(match count_done(&output, repairs, cleaning) {
        Some(done) if done > best => FAULT,
        Some(done) if done == best => ACCEPTED,
        _ => REJECTED,
    })
}

fn main() -> ExitCode {
    ExitCode::from(judge().unwrap_or(FAULT))
}
