//= why = "exit code 101"
//= ending = "exit code 101"
fn main() {
    panic!("no");
}
