//= why = "a signal after the right answer counts"
fn main() {
    println!("ok");
    std::process::abort();
}
