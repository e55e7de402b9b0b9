//= why = "400 ms of CPU time under a limit of 500 ms"
//= cpu_limit_s = 0.5
fn cpu_ms() -> u128 {
    let stat = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    stat.split(' ').next().and_then(|ns| ns.parse::<u128>().ok()).map_or(0, |ns| ns / 1_000_000)
}

fn main() {
    let began = std::time::Instant::now();
    let mut x = 1u64;
    // Where /proc tells nothing, wall time stands for it: the program has a core of its own.
    while cpu_ms().max(0) < 350 && began.elapsed().as_millis() < 400 {
        for _ in 0..10_000 { x = std::hint::black_box(x.wrapping_mul(3)); }
    }
    println!("ok");
}
