//= why = "10 ms over 500 ms is over, not rounded to seconds; it ends by itself and well"
//= cpu_limit_s = 0.5
//= cpu_at_most_s = 0.6
#[repr(C)]
struct TimeSpec {
    seconds: i64,
    nanos: i64,
}

unsafe extern "C" {
    fn clock_gettime(clock: i32, time: *mut TimeSpec) -> i32;
}

fn main() {
    let mut time = TimeSpec { seconds: 0, nanos: 0 };
    let mut x = 1u64;
    loop {
        for _ in 0..10_000 { x = std::hint::black_box(x.wrapping_mul(3)); }
        // SAFETY: the pointer is to a valid timespec; 2 is CLOCK_PROCESS_CPUTIME_ID.
        unsafe { clock_gettime(2, &raw mut time) };
        if time.seconds > 0 || time.nanos >= 510_000_000 { break; }
    }
    println!("ok");
}
