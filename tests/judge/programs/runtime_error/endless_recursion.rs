//= why = "a signal, and no failure of the judge"
//= cpu_limit_s = 5.0
//= memory_limit_mib = 256
//= or_verdicts = ["memory_limit"]
#[inline(never)]
fn down(depth: u64) -> u64 {
    let frame = std::hint::black_box([depth; 64]);
    down(depth + 1) + frame[7]
}

fn main() {
    println!("{}", down(0));
}
