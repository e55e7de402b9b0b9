//= why = "a program cannot stop or end what runs it (cms, DOMjudge)"
unsafe extern "C" {
    fn kill(pid: i32, signal: i32) -> i32;
    fn getppid() -> i32;
}

fn main() {
    // SAFETY: plain system calls with plain numbers.
    unsafe {
        let parent = getppid();
        if parent > 0 { kill(parent, 19); kill(parent, 9); }
        kill(1, 19);
    }
    println!("ok");
}
