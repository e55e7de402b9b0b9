//= why = "its own input may be read again; there is nothing else behind that descriptor"
//= stdin = "7\n"
//= expected = "7 7"
use std::io::{Read, Seek, SeekFrom};

fn main() {
    let mut file = std::fs::File::open("/proc/self/fd/0").unwrap();
    let mut once = String::new();
    file.read_to_string(&mut once).unwrap();
    file.seek(SeekFrom::Start(0)).unwrap();
    let mut twice = String::new();
    file.read_to_string(&mut twice).unwrap();
    println!("{} {}", once.trim(), twice.trim());
}
