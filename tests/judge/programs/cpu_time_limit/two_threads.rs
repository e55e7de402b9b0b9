//= why = "the time of all threads counts"
//= cpu_limit_s = 0.4
//= cpu_at_most_s = 0.6
fn spin() {
    let mut x = 1u64;
    loop {
        x = std::hint::black_box(x.wrapping_mul(3));
    }
}

fn main() {
    std::thread::spawn(spin);
    spin();
}
