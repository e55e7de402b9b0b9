//= why = "endless evaluation of a constant ends at a limit"
#![allow(long_running_const_eval)]

const ENDLESS: u64 = {
    let mut x = 1u64;
    while x != 0 {
        x = x.wrapping_mul(3);
    }
    x
};

fn main() {
    println!("{ENDLESS}");
}
