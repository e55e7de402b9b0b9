//= why = "SIGTERM and SIGXCPU can be ignored, SIGKILL cannot"
//= wall_limit_s = 0.5
unsafe extern "C" {
    fn signal(number: i32, action: usize) -> usize;
}

fn main() {
    for number in 1..65 {
        // SAFETY: 1 is SIG_IGN; what cannot be ignored is refused.
        unsafe { signal(number, 1) };
    }
    loop {
        std::thread::sleep(std::time::Duration::from_secs(1));
    }
}
