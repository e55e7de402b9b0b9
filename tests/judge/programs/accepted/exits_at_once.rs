//= why = "judged by output and status, though its input is unread (DMOJ PR#748)"
//= stdin = "1 2 3\n"
//= expected = ""
fn main() {}
