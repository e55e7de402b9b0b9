//= why = "1 MB on stdout before stdin is read must not deadlock (sandlock#149)"
//= stdin_bytes = 8388608
//= expected_bytes = 1000000
use std::io::{Read, Write};

fn main() {
    let mut out = std::io::stdout().lock();
    out.write_all(&vec![b'0'; 1_000_000]).unwrap();
    let mut input = Vec::new();
    std::io::stdin().read_to_end(&mut input).unwrap();
    assert_eq!(input.len(), 8 << 20);
}
