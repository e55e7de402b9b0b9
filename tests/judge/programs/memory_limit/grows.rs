//= why = "a Vec past the limit is a memory limit, not a signal 6 or 9 (isolate#83, judge0#298)"
//= cpu_limit_s = 3.0
fn main() {
    let mut blocks = Vec::new();
    loop {
        blocks.push(vec![1u8; 1 << 20]);
    }
}
