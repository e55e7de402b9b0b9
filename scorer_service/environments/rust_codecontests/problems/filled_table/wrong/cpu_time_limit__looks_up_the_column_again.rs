// Mistake: walks up the column from every repeated cell instead of filling the table in from the top.
use std::io::Read;

fn main() {
    let mut input = String::new();
    std::io::stdin().read_to_string(&mut input).unwrap();
    let lines: Vec<&str> = input.lines().collect();
    let sizes: Vec<usize> = lines[0].split(' ').map(|x| x.parse().unwrap()).collect();
    let (r, c) = (sizes[0], sizes[1]);
    let table: Vec<Vec<&str>> = lines[1..]
        .iter()
        .map(|line| line.split(' ').collect())
        .collect();
    let mut out = String::new();
    for j in 0..c {
        for i in 0..r {
            let mut source = i;
            while table[source][j] == "." {
                source -= 1;
            }
            out.push_str(table[source][j]);
            out.push(' ');
        }
        out.push('\n');
    }
    print!("{}", out);
}
