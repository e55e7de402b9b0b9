//= why = "1 MiB and a little"
//= output_limit_mib = 1
//= expected_bytes = 1048600
use std::io::Write;

fn main() {
    let _ = std::io::stdout().write_all(&vec![b'0'; 1_048_600]);
}
