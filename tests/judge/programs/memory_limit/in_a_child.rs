//= why = "the memory of all processes is one"
//= cpu_limit_s = 3.0
//= memory_limit_mib = 128
use std::process::Command;

fn main() {
    if std::env::args().nth(1).is_some() {
        let block = vec![1u8; 60 << 20];
        std::hint::black_box(&block);
        std::thread::sleep(std::time::Duration::from_secs(600));
        return;
    }
    let children: Vec<_> =
        (0..4).map(|_| Command::new("/proc/self/exe").arg("child").spawn().unwrap()).collect();
    for mut child in children {
        let _ = child.wait();
    }
}
