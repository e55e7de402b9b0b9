//= why = "the exit code counts (code_contests)"
//= ending = "exit code 1"
fn main() {
    println!("ok");
    std::process::exit(1);
}
