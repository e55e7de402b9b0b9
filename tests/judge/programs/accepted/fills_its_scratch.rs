//= why = "stopped at its quota by an error that it can handle (cms#309)"
//= cpu_limit_s = 5.0
//= memory_limit_mib = 512
use std::io::Write;

fn main() {
    let block = vec![1u8; 1 << 20];
    let mut written = 0u64;
    'full: for number in 0..1024 {
        let Ok(mut file) = std::fs::File::create(format!("/tmp/filler{number}")) else { break };
        for _ in 0..16 {
            match file.write(&block) {
                Ok(0) | Err(_) => break 'full,
                Ok(count) => written += count as u64,
            }
        }
    }
    assert!(written < 1 << 30, "no quota");
    println!("ok");
}
