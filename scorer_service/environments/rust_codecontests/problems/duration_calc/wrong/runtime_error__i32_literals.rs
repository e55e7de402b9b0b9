// Mistake: reads the digits of a literal with parse::<i32>().unwrap(), which fails above 2147483647.
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
        amount += digits.parse::<i32>().unwrap() as i64 * unit;
        timed = true;
        digits.clear();
    }
    if !timed {
        amount = digits.parse::<i32>().unwrap() as i64;
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

fn level(op: &str) -> u32 {
    match op {
        "(" => 0,
        "+" | "-" => 1,
        "*" | "/" => 2,
        _ => 3,
    }
}

fn reduce(values: &mut Vec<Value>, ops: &mut Vec<String>, to: u32) -> Result<(), String> {
    while !ops.is_empty() && level(ops.last().unwrap()) >= to {
        let op = ops.pop().unwrap();
        let b = values.pop().unwrap();
        if op == "neg" {
            values.push(Value {
                amount: -b.amount,
                timed: b.timed,
            });
        } else {
            let a = values.pop().unwrap();
            values.push(apply(&op, a, b)?);
        }
    }
    Ok(())
}

fn evaluate(line: &str) -> Result<Value, String> {
    let chars: Vec<char> = line.chars().collect();
    let mut values = Vec::new();
    let mut ops: Vec<String> = Vec::new();
    let mut operand_next = true;
    let mut i = 0;
    while i < chars.len() {
        let c = chars[i];
        i += 1;
        match c {
            ' ' => {}
            '(' => ops.push("(".to_string()),
            ')' => {
                reduce(&mut values, &mut ops, 1)?;
                ops.pop();
            }
            '-' if operand_next => ops.push("neg".to_string()),
            '+' | '-' | '*' | '/' => {
                reduce(&mut values, &mut ops, level(&c.to_string()))?;
                ops.push(c.to_string());
                operand_next = true;
            }
            _ => {
                let mut word = c.to_string();
                while i < chars.len() && chars[i].is_ascii_alphanumeric() {
                    word.push(chars[i]);
                    i += 1;
                }
                values.push(literal(&word));
                operand_next = false;
            }
        }
    }
    reduce(&mut values, &mut ops, 1)?;
    Ok(values[0])
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
