//= why = "an honest mistake"
fn main( {
    println!("ok");
}
