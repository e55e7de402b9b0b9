// Permutations whose prefix gcds take the most values: gcds 2^x * 3^y with y at most 1, one prime lost at a time.
use std::io;

const MODULUS: usize = 1_000_000_007;

fn main() {
    let mut line = String::new();
    io::stdin().read_line(&mut line).unwrap();
    let n: usize = line.trim().parse().unwrap();
    let top = n.ilog2() as usize;
    let multiples = |x: usize, y: usize| (n >> x) / (1 + 2 * y);
    // ways[x][y]: prefixes of the current length with gcd 2^x * 3^y.
    let mut ways = vec![[0usize; 2]; top + 1];
    ways[top][0] = 1;
    if 3 << (top - 1) <= n {
        ways[top - 1][1] = 1;
    }
    for length in 1..n {
        let mut next = vec![[0usize; 2]; top + 1];
        for x in 0..=top {
            for y in 0..2 {
                let count = multiples(x, y);
                let mut sum = ways[x][y] * count.saturating_sub(length);
                if x < top {
                    sum += ways[x + 1][y] * (count - multiples(x + 1, y));
                }
                if y == 0 {
                    sum += ways[x][1] * (count - multiples(x, 1));
                }
                next[x][y] = sum % MODULUS;
            }
        }
        ways = next;
    }
    println!("{}", ways[0][0]);
}
