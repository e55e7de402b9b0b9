// Mistake: makes the table as wide as it is high, by the longer of the two sides.
use std::io::Read;

fn main() {
    let mut input = String::new();
    std::io::stdin().read_to_string(&mut input).unwrap();
    let lines: Vec<&str> = input.lines().collect();
    let sizes: Vec<usize> = lines[0].split(' ').map(|x| x.parse().unwrap()).collect();
    let (r, c) = (sizes[0], sizes[1]);
    let side = r.max(c);
    let mut table = vec![String::new(); side * side];
    for i in 0..r {
        for (j, cell) in lines[i + 1].split(' ').enumerate() {
            let word = if cell == "." {
                table[(i - 1) * side + j].clone()
            } else {
                cell.to_string()
            };
            table[i * side + j] = word;
        }
    }
    let mut out = String::new();
    for j in 0..c {
        for i in 0..r {
            out.push_str(&table[i * side + j]);
            out.push(' ');
        }
        out.push('\n');
    }
    print!("{}", out);
}
