//= why = "unread input is no broken pipe of the judge (verl#4074)"
//= stdin_bytes = 67108864
fn main() {
    println!("ok");
}
