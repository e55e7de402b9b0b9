//= why = "exit code 0 without output"
fn main() {}
