// Mistake: replaces the innermost parentheses in the token list one at a time, which shifts the whole rest.
use std::io::Read;

#[derive(Clone, Copy)]
struct Value {
    amount: i64,
    timed: bool,
}

fn literal(word: &str) -> Value {
    let mut digits = String::new();
    let mut amount = 0i64;
    let mut timed = false;
    for c in word.chars() {
        if c.is_ascii_digit() {
            digits.push(c);
            continue;
        }
        let unit = match c {
            'd' => 86400,
            'h' => 3600,
            'm' => 60,
            _ => 1,
        };
        amount += digits.parse::<i64>().unwrap() * unit;
        timed = true;
        digits.clear();
    }
    if !timed {
        amount = digits.parse::<i64>().unwrap();
    }
    Value { amount, timed }
}

fn apply(op: &str, a: Value, b: Value) -> Result<Value, String> {
    let (amount, timed) = match op {
        "+" | "-" if a.timed != b.timed => return Err("type error".to_string()),
        "*" if a.timed && b.timed => return Err("type error".to_string()),
        "/" if !a.timed && b.timed => return Err("type error".to_string()),
        "/" if b.amount == 0 => return Err("division by zero".to_string()),
        "+" => (a.amount + b.amount, a.timed),
        "-" => (a.amount - b.amount, a.timed),
        "*" => (a.amount * b.amount, a.timed || b.timed),
        _ => (a.amount / b.amount, a.timed && !b.timed),
    };
    Ok(Value { amount, timed })
}

type Outcome = Result<Value, String>;

#[derive(Clone)]
enum Token {
    Op(String),
    Val(Outcome),
}

fn tokenize(line: &str) -> Vec<Token> {
    let chars: Vec<char> = line.chars().collect();
    let mut tokens = Vec::new();
    let mut i = 0;
    while i < chars.len() {
        let mut word = chars[i].to_string();
        i += 1;
        if word == " " {
            continue;
        }
        if chars[i - 1].is_ascii_digit() {
            while i < chars.len() && chars[i].is_ascii_alphanumeric() {
                word.push(chars[i]);
                i += 1;
            }
            tokens.push(Token::Val(Ok(literal(&word))));
        } else {
            tokens.push(Token::Op(word));
        }
    }
    tokens
}

fn flat(tokens: &[Token]) -> Outcome {
    let mut pos = 0;
    let mut total: Option<(Outcome, String)> = None;
    while pos < tokens.len() {
        let mut product: Option<(Outcome, String)> = None;
        let sum_op;
        loop {
            let mut negative = false;
            while let Token::Op(_) = tokens[pos] {
                negative = !negative;
                pos += 1;
            }
            let mut value = match &tokens[pos] {
                Token::Val(v) => v.clone(),
                Token::Op(_) => unreachable!(),
            };
            pos += 1;
            if negative {
                value = value.map(|v| Value {
                    amount: -v.amount,
                    timed: v.timed,
                });
            }
            if let Some((left, op)) = product {
                value = left.and_then(|a| apply(&op, a, value?));
            }
            let op = match tokens.get(pos) {
                Some(Token::Op(op)) => op.clone(),
                _ => String::new(),
            };
            pos += 1;
            if op == "*" || op == "/" {
                product = Some((value, op));
                continue;
            }
            if let Some((left, op)) = total {
                value = left.and_then(|a| apply(&op, a, value?));
            }
            total = Some((value, op.clone()));
            sum_op = op;
            break;
        }
        if sum_op.is_empty() {
            break;
        }
    }
    total.unwrap().0
}

fn is_op(token: &Token, wanted: &str) -> bool {
    matches!(token, Token::Op(op) if op == wanted)
}

fn evaluate(line: &str) -> Result<Value, String> {
    let mut tokens = tokenize(line);
    while let Some(close) = tokens.iter().position(|t| is_op(t, ")")) {
        let open = tokens[..close].iter().rposition(|t| is_op(t, "(")).unwrap();
        let value = flat(&tokens[open + 1..close]);
        tokens.splice(open..=close, [Token::Val(value)]);
    }
    flat(&tokens)
}

fn main() {
    let mut input = String::new();
    std::io::stdin().read_to_string(&mut input).unwrap();
    for line in input.lines().skip(1) {
        match evaluate(line) {
            Err(message) => println!("{}", message),
            Ok(v) if !v.timed => println!("{}", v.amount),
            Ok(v) => {
                let mut left = v.amount.abs();
                let mut text = String::new();
                for (length, unit) in [(86400, "d"), (3600, "h"), (60, "m"), (1, "s")] {
                    if left >= length {
                        text += &format!("{}{}", left / length, unit);
                        left %= length;
                    }
                }
                if text.is_empty() {
                    text = "0s".to_string();
                }
                println!("{}{}", if v.amount < 0 { "-" } else { "" }, text);
            }
        }
    }
}
