//= why = "a file past the size limit of files is output past its limit"
//= cpu_limit_s = 5.0
//= memory_limit_mib = 512
use std::io::Write;

fn main() {
    let mut file = std::fs::File::create("/tmp/filler").unwrap();
    let block = vec![1u8; 1 << 20];
    for _ in 0..10_240 {
        file.write_all(&block).unwrap();
    }
    println!("ok");
}
