// Mistake: appends with format!, which copies the whole output for every cell.
use std::io::Read;

fn main() {
    let mut input = String::new();
    std::io::stdin().read_to_string(&mut input).unwrap();
    let lines: Vec<&str> = input.lines().collect();
    let sizes: Vec<usize> = lines[0].split(' ').map(|x| x.parse().unwrap()).collect();
    let (r, c) = (sizes[0], sizes[1]);
    let mut table: Vec<Vec<&str>> = lines[1..]
        .iter()
        .map(|line| line.split(' ').collect())
        .collect();
    for i in 1..r {
        for j in 0..c {
            if table[i][j] == "." {
                table[i][j] = table[i - 1][j];
            }
        }
    }
    let mut out = String::new();
    for j in 0..c {
        for i in 0..r {
            out = format!("{}{} ", out, table[i][j]);
        }
        out = format!("{}\n", out);
    }
    print!("{}", out);
}
