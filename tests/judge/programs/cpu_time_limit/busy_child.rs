//= why = "the time of children counts, also of one that left the process group and session"
//= cpu_limit_s = 0.4
//= cpu_at_most_s = 0.6
use std::os::unix::process::CommandExt;
use std::process::Command;

unsafe extern "C" {
    fn setsid() -> i32;
}

fn main() {
    if std::env::args().nth(1).is_some() {
        // SAFETY: no arguments, no memory.
        unsafe { setsid() };
        let mut x = 1u64;
        loop {
            x = std::hint::black_box(x.wrapping_mul(3));
        }
    }
    let mut child = Command::new("/proc/self/exe").arg("child").process_group(0).spawn().unwrap();
    let _ = child.wait();
}
