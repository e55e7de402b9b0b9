// Mistake: reserves 1000 rows and 1000 columns, but a table may be one row of 500 000 cells.
use std::io::Read;

fn main() {
    let mut input = String::new();
    std::io::stdin().read_to_string(&mut input).unwrap();
    let lines: Vec<&str> = input.lines().collect();
    let sizes: Vec<usize> = lines[0].split(' ').map(|x| x.parse().unwrap()).collect();
    let (r, c) = (sizes[0], sizes[1]);
    let mut table = vec![vec![""; 1000]; 1000];
    for i in 0..r {
        for (j, cell) in lines[i + 1].split(' ').enumerate() {
            table[i][j] = if cell == "." { table[i - 1][j] } else { cell };
        }
    }
    let mut out = String::new();
    for j in 0..c {
        for i in 0..r {
            out.push_str(table[i][j]);
            out.push(' ');
        }
        out.push('\n');
    }
    print!("{}", out);
}
