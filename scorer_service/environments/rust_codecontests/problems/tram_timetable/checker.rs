// Rides the printed journey and accepts it if it ends at stop n at the time that the expected output names.
// Usage: checker INPUT EXPECTED < output; exit code 42 accepts, 43 rejects, 1 is a fault of the problem.
use std::io::{self, Read};
use std::process::exit;

const ACCEPT: i32 = 42;
const REJECT: i32 = 43;
const PROBLEM_FAULT: i32 = 1;

struct Line {
    from: usize,
    to: usize,
    first: u64,
    period: u64,
    duration: u64,
}

struct Town {
    stops: usize,
    lines: Vec<Line>,
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let (Some(input), Some(expected)) = (arguments.get(1), arguments.get(2)) else {
        fault("usage: checker INPUT EXPECTED < output");
    };
    let town = read_town(input).unwrap_or_else(|| fault("malformed input"));
    let expected = std::fs::read(expected).unwrap_or_else(|error| fault(&error.to_string()));
    let mut output = Vec::new();
    if let Err(error) = io::stdin().read_to_end(&mut output) {
        fault(&error.to_string());
    }
    let Ok(earliest) = arrival(&town, &expected) else {
        fault("the expected output is wrong");
    };
    match (arrival(&town, &output), earliest) {
        (Ok(given), _) if given == earliest => exit(ACCEPT),
        (Ok(Some(given)), Some(earliest)) if given < earliest => {
            fault("the journey is earlier than expected")
        }
        (Ok(Some(_)), None) => fault("a journey was found where none was expected"),
        (Ok(Some(given)), Some(_)) => reject(&format!("{given} is not the earliest time")),
        (Ok(None), _) => reject("there is a journey"),
        (Err(reason), _) => reject(&reason),
    }
}

fn reject(reason: &str) -> ! {
    eprintln!("{reason}");
    exit(REJECT);
}

fn fault(message: &str) -> ! {
    eprintln!("{message}");
    exit(PROBLEM_FAULT);
}

fn read_town(path: &str) -> Option<Town> {
    let text = std::fs::read_to_string(path).ok()?;
    let mut tokens = text.split_ascii_whitespace();
    let stops = tokens.next()?.parse().ok()?;
    let count = tokens.next()?.parse().ok()?;
    let mut lines = Vec::with_capacity(count);
    for _ in 0..count {
        lines.push(Line {
            from: tokens.next()?.parse().ok()?,
            to: tokens.next()?.parse().ok()?,
            first: tokens.next()?.parse().ok()?,
            period: tokens.next()?.parse().ok()?,
            duration: tokens.next()?.parse().ok()?,
        });
    }
    Some(Town { stops, lines })
}

/// The arrival time of the journey, ridden anew; None where the output says that there is no journey.
fn arrival(town: &Town, output: &[u8]) -> Result<Option<u64>, String> {
    let text = std::str::from_utf8(output).map_err(|_| "not text")?;
    let mut tokens = text.split_ascii_whitespace().peekable();
    if tokens.peek() == Some(&"-1") {
        tokens.next();
        return finish(&mut tokens).map(|()| None);
    }
    let claimed = number(&mut tokens)?;
    let rides = number(&mut tokens)?;
    let mut stop = 1;
    let mut time = 0u64;
    let most = u64::try_from(town.stops).map_err(|_| "too many stops")?;
    if rides >= most {
        return Err(format!("{rides} rides are too many"));
    }
    for _ in 0..rides {
        let ride = number(&mut tokens)?;
        let line = usize::try_from(ride)
            .ok()
            .and_then(|i| i.checked_sub(1))
            .and_then(|i| town.lines.get(i))
            .ok_or_else(|| format!("there is no line {ride}"))?;
        if line.from != stop {
            return Err(format!("line {ride} does not leave from stop {stop}"));
        }
        let missed = time.saturating_sub(line.first).div_ceil(line.period);
        time = line.first + missed * line.period + line.duration;
        stop = line.to;
    }
    finish(&mut tokens)?;
    if stop != town.stops {
        return Err(format!("the journey ends at stop {stop}"));
    }
    if time != claimed {
        return Err(format!("the journey ends at {time}, not at {claimed}"));
    }
    Ok(Some(time))
}

fn finish<'a>(tokens: &mut impl Iterator<Item = &'a str>) -> Result<(), String> {
    match tokens.next() {
        None => Ok(()),
        Some(_) => Err("there is more output than needed".to_owned()),
    }
}

/// The next token, read as plain decimal digits.
fn number<'a>(tokens: &mut impl Iterator<Item = &'a str>) -> Result<u64, String> {
    let token = tokens.next().ok_or("the output is too short")?;
    if token.bytes().all(|byte| byte.is_ascii_digit()) {
        if let Ok(value) = token.parse() {
            return Ok(value);
        }
    }
    let shown: String = token.chars().take(20).collect();
    Err(format!("not a number: {shown}"))
}
