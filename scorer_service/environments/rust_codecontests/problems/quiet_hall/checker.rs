// Accepts any invitation without a quarrel that is as large as the expected one.
// Usage: checker INPUT EXPECTED < output; exit code 42 accepts, 43 rejects, 1 is a fault of the problem.
use std::cmp::Ordering;
use std::io::{self, Read};
use std::process::exit;

const ACCEPT: i32 = 42;
const REJECT: i32 = 43;
const PROBLEM_FAULT: i32 = 1;

struct Hall {
    drummers: usize,
    flautists: usize,
    quarrels: Vec<(usize, usize)>,
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let (Some(input), Some(expected)) = (arguments.get(1), arguments.get(2)) else {
        fault("usage: checker INPUT EXPECTED < output");
    };
    let hall = read_hall(input).unwrap_or_else(|| fault("malformed input"));
    let expected = std::fs::read(expected).unwrap_or_else(|error| fault(&error.to_string()));
    let mut output = Vec::new();
    if let Err(error) = io::stdin().read_to_end(&mut output) {
        fault(&error.to_string());
    }
    let Ok(largest) = invited(&hall, &expected) else {
        fault("the expected output is wrong");
    };
    match invited(&hall, &output) {
        Ok(given) => match given.cmp(&largest) {
            Ordering::Less => reject(&format!("{given} are invited, {largest} are possible")),
            Ordering::Equal => exit(ACCEPT),
            Ordering::Greater => fault("more are invited than expected"),
        },
        Err(reason) => reject(&reason),
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

fn read_hall(path: &str) -> Option<Hall> {
    let text = std::fs::read_to_string(path).ok()?;
    let mut numbers = text.split_ascii_whitespace().map(str::parse::<usize>);
    let drummers = numbers.next()?.ok()?;
    let flautists = numbers.next()?.ok()?;
    let count = numbers.next()?.ok()?;
    let mut quarrels = Vec::with_capacity(count);
    for _ in 0..count {
        quarrels.push((numbers.next()?.ok()?, numbers.next()?.ok()?));
    }
    Some(Hall {
        drummers,
        flautists,
        quarrels,
    })
}

/// How many musicians a right invitation invites.
fn invited(hall: &Hall, output: &[u8]) -> Result<usize, String> {
    let text = std::str::from_utf8(output).map_err(|_| "not text")?;
    let mut tokens = text.split_ascii_whitespace();
    let drummers = number(&mut tokens)?;
    let flautists = number(&mut tokens)?;
    let drums = chosen(&mut tokens, drummers, hall.drummers)?;
    let flutes = chosen(&mut tokens, flautists, hall.flautists)?;
    if tokens.next().is_some() {
        return Err("there is more output than needed".to_owned());
    }
    for &(x, y) in &hall.quarrels {
        if drums[x] && flutes[y] {
            return Err(format!("drummer {x} and flautist {y} have a quarrel"));
        }
    }
    Ok(drummers + flautists)
}

/// Reads `count` different numbers from 1 to `most` and marks them.
fn chosen<'a>(
    tokens: &mut impl Iterator<Item = &'a str>,
    count: usize,
    most: usize,
) -> Result<Vec<bool>, String> {
    if count > most {
        return Err(format!("{count} of {most} are invited"));
    }
    let mut marked = vec![false; most + 1];
    for _ in 0..count {
        let musician = number(tokens)?;
        if musician == 0 || musician > most {
            return Err(format!("there is no musician {musician} among {most}"));
        }
        if std::mem::replace(&mut marked[musician], true) {
            return Err(format!("{musician} is invited twice"));
        }
    }
    Ok(marked)
}

/// The next token, read as plain decimal digits.
fn number<'a>(tokens: &mut impl Iterator<Item = &'a str>) -> Result<usize, String> {
    let token = tokens.next().ok_or("the output is too short")?;
    if token.bytes().all(|byte| byte.is_ascii_digit()) {
        if let Ok(value) = token.parse() {
            return Ok(value);
        }
    }
    let shown: String = token.chars().take(20).collect();
    Err(format!("not a number: {shown}"))
}
