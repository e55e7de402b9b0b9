//= why = "64 MB of stack under 256 MB of memory: the stack limit follows the memory limit (pc2v9 PR#1193)"
//= memory_limit_mib = 256
#[inline(never)]
fn down(depth: usize) -> usize {
    let mut frame = [0u8; 1024];
    std::hint::black_box(&mut frame);
    if depth == 0 { frame[0] as usize } else { down(depth - 1) + frame[1] as usize }
}

fn main() {
    // On the main thread: the stack of another thread is what the program asks for.
    assert_eq!(down(62_000), 0);
    println!("ok");
}
