//= why = "SIGKILL from itself is a signal, not a limit of memory"
unsafe extern "C" {
    fn kill(pid: i32, signal: i32) -> i32;
    fn getpid() -> i32;
}

fn main() {
    // SAFETY: plain system calls with plain numbers.
    unsafe { kill(getpid(), 9) };
    loop {}
}
