// Mistake: counts from the right over all n seats instead of the free ones.
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
    let mut tree: Vec<i64> = (0..=n as i64).map(|i| i & -i).collect();
    let mut free = n as i64;
    let mut out = String::new();
    for line in lines {
        let (event, number) = line.split_once(' ').unwrap();
        let k: i64 = number.parse().unwrap();
        if event == "leave" {
            let mut i = k;
            free += 1;
            while i <= n as i64 {
                tree[i as usize] += 1;
                i += i & -i;
            }
            continue;
        }
        let mut rank = if k > 0 { k } else { n as i64 + 1 + k };
        let mut seat = 0;
        if rank >= 1 && rank <= free {
            let mut step = 1 << 17;
            while step > 0 {
                if seat + step <= n && tree[seat + step] < rank {
                    seat += step;
                    rank -= tree[seat];
                }
                step /= 2;
            }
            seat += 1;
            free -= 1;
            let mut i = seat;
            while i <= n {
                tree[i] -= 1;
                i += i & i.wrapping_neg();
            }
        }
        out += &format!("{}\n", seat);
    }
    print!("{}", out);
}
