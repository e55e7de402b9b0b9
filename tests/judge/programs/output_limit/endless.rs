//= why = "endless output ends at the limit, and the judge's memory stays flat (judge0#496, DOMjudge#89)"
//= cpu_limit_s = 5.0
//= wall_limit_s = 10.0
use std::io::Write;

fn main() {
    let mut out = std::io::stdout().lock();
    let block = [b'x'; 1 << 16];
    while out.write_all(&block).is_ok() {}
}
