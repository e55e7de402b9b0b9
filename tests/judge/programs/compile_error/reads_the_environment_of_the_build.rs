//= why = "the build's environment is empty"
fn main() {
    println!("{}", env!("HOME"));
}
