//= why = "stopped within 100 ms of the limit (Judger#53: granularity of 1 s)"
//= cpu_limit_s = 0.5
//= cpu_at_most_s = 0.6
fn main() {
    let mut x = 1u64;
    loop {
        x = std::hint::black_box(x.wrapping_mul(3));
    }
}
