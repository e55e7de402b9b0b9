//= why = "an honest mistake"
fn main() {
    println!("ko");
}
