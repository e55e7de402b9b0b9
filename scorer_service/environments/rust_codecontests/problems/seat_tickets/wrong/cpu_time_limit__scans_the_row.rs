// Mistake: walks along the row from the counted end to the wanted free seat.
use std::io::Read;

fn main() {
    let mut input = String::new();
    std::io::stdin().read_to_string(&mut input).unwrap();
    let mut lines = input.lines();
    let n: usize = lines
        .next()
        .unwrap()
        .split(' ')
        .next()
        .unwrap()
        .parse()
        .unwrap();
    let mut is_free = vec![true; n];
    let mut free = n as i64;
    let mut out = String::new();
    for line in lines {
        let (event, number) = line.split_once(' ').unwrap();
        let k: i64 = number.parse().unwrap();
        if event == "leave" {
            is_free[k as usize - 1] = true;
            free += 1;
            continue;
        }
        let mut seat = 0;
        if k.abs() <= free {
            let mut left = k.abs();
            let mut at = if k > 0 { 0 } else { n - 1 };
            loop {
                left -= is_free[at] as i64;
                if left == 0 {
                    break;
                }
                at = if k > 0 { at + 1 } else { at - 1 };
            }
            is_free[at] = false;
            free -= 1;
            seat = at + 1;
        }
        out += &format!("{}\n", seat);
    }
    print!("{}", out);
}
