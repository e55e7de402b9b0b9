// Mistake: goes over the board once, so a winding line of dots remains
use std::io::{self, Read};

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let mut board: Vec<Vec<u8>> = text
        .split_ascii_whitespace()
        .skip(2)
        .map(|row| row.as_bytes().to_vec())
        .collect();
    let (n, m) = (board.len(), board[0].len());
    let mut changed = true;
    while changed {
        changed = false;
        for i in 0..n {
            for j in 0..m {
                let colour = board[i][j];
                let neighbours = usize::from(i > 0 && board[i - 1][j] == colour)
                    + usize::from(j > 0 && board[i][j - 1] == colour)
                    + usize::from(i + 1 < n && board[i + 1][j] == colour)
                    + usize::from(j + 1 < m && board[i][j + 1] == colour);
                if colour != b'.' && neighbours < 2 {
                    board[i][j] = b'.';
                }
            }
        }
    }
    let cycle = board.iter().flatten().any(|&c| c != b'.');
    println!("{}", if cycle { "Yes" } else { "No" });
}
