// Mistake: the first cell can never be a bomb
use std::io;

const MODULUS: u64 = 1_000_000_007;

fn main() {
    let mut line = String::new();
    io::stdin().read_line(&mut line).unwrap();
    // Ways by the last cell: a number that wants no bomb next, a number that wants one, a bomb.
    let (mut closed, mut open, mut bomb) = (1, 0, 0);
    for cell in line.trim().bytes() {
        let may = |c: u8| u64::from(cell == c || cell == b'?');
        let next_closed = may(b'0') * closed + may(b'1') * bomb;
        let next_open = may(b'1') * closed + may(b'2') * bomb;
        let next_bomb = may(b'*') * (open + bomb);
        closed = next_closed % MODULUS;
        open = next_open % MODULUS;
        bomb = next_bomb % MODULUS;
    }
    println!("{}", (closed + bomb) % MODULUS);
}
