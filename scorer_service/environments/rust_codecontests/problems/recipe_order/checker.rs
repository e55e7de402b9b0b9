// Accepts any order that meets all notes, or any circle of notes, whichever the input allows.
// Usage: checker INPUT EXPECTED < output; exit code 42 accepts, 43 rejects, 1 is a fault of the problem.
use std::collections::HashSet;
use std::io::{self, Read};
use std::process::exit;

const ACCEPT: i32 = 42;
const REJECT: i32 = 43;
const PROBLEM_FAULT: i32 = 1;

struct Recipe {
    steps: usize,
    notes: Vec<(usize, usize)>,
}

#[derive(PartialEq)]
enum Answer {
    Order,
    Circle,
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let (Some(input), Some(expected)) = (arguments.get(1), arguments.get(2)) else {
        fault("usage: checker INPUT EXPECTED < output");
    };
    let recipe = read_recipe(input).unwrap_or_else(|| fault("malformed input"));
    let expected = std::fs::read(expected).unwrap_or_else(|error| fault(&error.to_string()));
    let mut output = Vec::new();
    if let Err(error) = io::stdin().read_to_end(&mut output) {
        fault(&error.to_string());
    }
    let Ok(wanted) = judge(&recipe, &expected) else {
        fault("the expected output is wrong");
    };
    match judge(&recipe, &output) {
        Ok(given) if given == wanted => exit(ACCEPT),
        Ok(_) => fault("an order and a circle were both found"),
        Err(reason) => {
            eprintln!("{reason}");
            exit(REJECT);
        }
    }
}

fn fault(message: &str) -> ! {
    eprintln!("{message}");
    exit(PROBLEM_FAULT);
}

fn read_recipe(path: &str) -> Option<Recipe> {
    let text = std::fs::read_to_string(path).ok()?;
    let mut numbers = text.split_ascii_whitespace().map(str::parse::<usize>);
    let steps = numbers.next()?.ok()?;
    let count = numbers.next()?.ok()?;
    let mut notes = Vec::with_capacity(count);
    for _ in 0..count {
        notes.push((numbers.next()?.ok()?, numbers.next()?.ok()?));
    }
    Some(Recipe { steps, notes })
}

fn judge(recipe: &Recipe, output: &[u8]) -> Result<Answer, String> {
    let text = std::str::from_utf8(output).map_err(|_| "not text")?;
    let mut tokens = text.split_ascii_whitespace();
    match tokens.next() {
        Some("ORDER") => {
            let order = distinct_steps(recipe, &mut tokens, recipe.steps)?;
            let mut place = vec![0; recipe.steps + 1];
            for (i, &step) in order.iter().enumerate() {
                place[step] = i;
            }
            for &(u, v) in &recipe.notes {
                if place[u] >= place[v] {
                    return Err(format!("the note {u} {v} is not met"));
                }
            }
            Ok(Answer::Order)
        }
        Some("CYCLE") => {
            let length = number(&mut tokens)?;
            if length == 0 || length > recipe.steps {
                return Err(format!("a circle cannot have {length} steps"));
            }
            let circle = distinct_steps(recipe, &mut tokens, length)?;
            let notes: HashSet<(usize, usize)> = recipe.notes.iter().copied().collect();
            for (i, &step) in circle.iter().enumerate() {
                let following = circle[(i + 1) % length];
                if !notes.contains(&(step, following)) {
                    return Err(format!("there is no note {step} {following}"));
                }
            }
            Ok(Answer::Circle)
        }
        _ => Err("the first word is neither ORDER nor CYCLE".to_owned()),
    }
}

/// Exactly `count` different steps, and nothing behind them.
fn distinct_steps<'a>(
    recipe: &Recipe,
    tokens: &mut impl Iterator<Item = &'a str>,
    count: usize,
) -> Result<Vec<usize>, String> {
    let mut seen = vec![false; recipe.steps + 1];
    let mut steps = Vec::with_capacity(count);
    for _ in 0..count {
        let step = number(tokens)?;
        if step == 0 || step > recipe.steps {
            return Err(format!("there is no step {step}"));
        }
        if std::mem::replace(&mut seen[step], true) {
            return Err(format!("step {step} appears twice"));
        }
        steps.push(step);
    }
    match tokens.next() {
        None => Ok(steps),
        Some(_) => Err("there is more output than needed".to_owned()),
    }
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
