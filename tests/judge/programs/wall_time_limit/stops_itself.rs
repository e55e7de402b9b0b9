//= why = "SIGSTOP does not stop the judge (cms, DOMjudge)"
//= wall_limit_s = 0.5
unsafe extern "C" {
    fn kill(pid: i32, signal: i32) -> i32;
    fn getpid() -> i32;
}

fn main() {
    // SAFETY: plain system calls with plain numbers.
    unsafe { kill(getpid(), 19) };
    println!("ok");
}
