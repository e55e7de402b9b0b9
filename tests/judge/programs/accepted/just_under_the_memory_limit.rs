//= why = "480 MB under a limit of 512 MiB"
//= memory_limit_mib = 512
//= cpu_limit_s = 3.0
fn main() {
    let block = vec![1u8; 480 << 20];
    std::hint::black_box(&block);
    println!("ok");
}
