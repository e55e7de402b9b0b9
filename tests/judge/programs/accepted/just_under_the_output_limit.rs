//= why = "1 MiB less a little, under a limit of 1 MiB"
//= output_limit_mib = 1
//= expected_bytes = 1048000
use std::io::Write;

fn main() {
    std::io::stdout().write_all(&vec![b'0'; 1_048_000]).unwrap();
}
