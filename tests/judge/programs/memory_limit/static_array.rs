//= why = "800 MB of static array under 512 MiB is a memory limit, not a crash (go-judge#186)"
//= memory_limit_mib = 512
//= cpu_limit_s = 3.0
static mut ARRAY: [u8; 800 << 20] = [0; 800 << 20];

fn main() {
    let array = &raw mut ARRAY;
    for index in (0..800usize << 20).step_by(4096) {
        // SAFETY: the index is in bounds, and there is one thread. Volatile, or nothing of it would be done.
        unsafe { array.cast::<u8>().add(index).write_volatile(1) };
    }
    println!("ok");
}
