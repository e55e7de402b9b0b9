// Mistake: finds cell j of a row with split and nth, so it reads the row again for every cell.
use std::io::Read;

fn main() {
    let mut input = String::new();
    std::io::stdin().read_to_string(&mut input).unwrap();
    let lines: Vec<&str> = input.lines().collect();
    let sizes: Vec<usize> = lines[0].split(' ').map(|x| x.parse().unwrap()).collect();
    let (r, c) = (sizes[0], sizes[1]);
    let mut out = String::new();
    for j in 0..c {
        let mut above = "";
        for i in 1..=r {
            let cell = lines[i].split(' ').nth(j).unwrap();
            if cell != "." {
                above = cell;
            }
            out.push_str(above);
            out.push(' ');
        }
        out.push('\n');
    }
    print!("{}", out);
}
