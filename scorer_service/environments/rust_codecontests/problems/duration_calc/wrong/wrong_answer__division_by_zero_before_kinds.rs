// Mistake: looks for a zero divisor before it checks the kinds of the operands.
use std::fmt::Write as _;
use std::io::{self, Read, Write as _};

#[derive(Clone, Copy)]
enum Value {
    Number(i64),
    Duration(i64),
}
use Value::{Duration, Number};

type Outcome = Result<Value, &'static str>;

const TYPE_ERROR: Outcome = Err("type error");
const DIVISION_BY_ZERO: Outcome = Err("division by zero");

struct Parser<'a> {
    rest: &'a [u8],
}

impl Parser<'_> {
    fn peek(&mut self) -> u8 {
        while let [b' ', tail @ ..] = self.rest {
            self.rest = tail;
        }
        self.rest.first().copied().unwrap_or(b'\n')
    }

    fn next_if(&mut self, wanted: &[u8]) -> Option<u8> {
        let found = self.peek();
        wanted.contains(&found).then(|| {
            self.rest = &self.rest[1..];
            found
        })
    }

    fn sum(&mut self) -> Outcome {
        let mut left = self.product()?;
        while let Some(operator) = self.next_if(b"+-") {
            left = apply(operator, left, self.product()?)?;
        }
        Ok(left)
    }

    fn product(&mut self) -> Outcome {
        let mut left = self.signed()?;
        while let Some(operator) = self.next_if(b"*/") {
            left = apply(operator, left, self.signed()?)?;
        }
        Ok(left)
    }

    fn signed(&mut self) -> Outcome {
        let mut sign = 1;
        while self.next_if(b"-").is_some() {
            sign = -sign;
        }
        let value = if self.next_if(b"(").is_some() {
            let inner = self.sum()?;
            self.next_if(b")");
            inner
        } else {
            self.literal()
        };
        Ok(match value {
            Number(number) => Number(sign * number),
            Duration(seconds) => Duration(sign * seconds),
        })
    }

    fn literal(&mut self) -> Value {
        self.peek();
        let (mut digits, mut seconds, mut has_unit) = (0, 0, false);
        while let Some((&byte, tail)) = self.rest.split_first() {
            let unit = match byte {
                b'0'..=b'9' => {
                    digits = digits * 10 + i64::from(byte - b'0');
                    self.rest = tail;
                    continue;
                }
                b'd' => 86_400,
                b'h' => 3600,
                b'm' => 60,
                b's' => 1,
                _ => break,
            };
            seconds += digits * unit;
            (digits, has_unit, self.rest) = (0, true, tail);
        }
        if has_unit {
            Duration(seconds)
        } else {
            Number(digits)
        }
    }
}

fn apply(operator: u8, left: Value, right: Value) -> Outcome {
    Ok(match (operator, left, right) {
        (b'+', Number(a), Number(b)) => Number(a + b),
        (b'+', Duration(a), Duration(b)) => Duration(a + b),
        (b'-', Number(a), Number(b)) => Number(a - b),
        (b'-', Duration(a), Duration(b)) => Duration(a - b),
        (b'*', Number(a), Number(b)) => Number(a * b),
        (b'*', Number(a), Duration(b)) | (b'*', Duration(a), Number(b)) => Duration(a * b),
        (b'/', _, Number(0) | Duration(0)) => return DIVISION_BY_ZERO,
        (b'/', Number(a), Number(b)) | (b'/', Duration(a), Duration(b)) => Number(a / b),
        (b'/', Duration(a), Number(b)) => Duration(a / b),
        _ => return TYPE_ERROR,
    })
}

fn print(output: &mut String, outcome: Outcome) -> std::fmt::Result {
    match outcome {
        Err(failure) => output.push_str(failure),
        Ok(Number(number)) => write!(output, "{number}")?,
        Ok(Duration(0)) => output.push_str("0s"),
        Ok(Duration(seconds)) => {
            let mut left = seconds.abs();
            output.push_str(if seconds < 0 { "-" } else { "" });
            for (length, unit) in [(86_400, 'd'), (3600, 'h'), (60, 'm'), (1, 's')] {
                if left >= length {
                    write!(output, "{}{unit}", left / length)?;
                    left %= length;
                }
            }
        }
    }
    output.push('\n');
    Ok(())
}

fn main() {
    let mut input = String::new();
    io::stdin()
        .read_to_string(&mut input)
        .expect("input is text");
    let mut output = String::new();
    for line in input.lines().skip(1) {
        let outcome = Parser {
            rest: line.as_bytes(),
        }
        .sum();
        print(&mut output, outcome).expect("write to a string");
    }
    io::stdout().write_all(output.as_bytes()).expect("write");
}
