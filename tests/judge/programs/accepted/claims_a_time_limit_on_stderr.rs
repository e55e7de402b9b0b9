//= why = "judged by what it does, never by what it says (DOMjudge#122)"
fn main() {
    eprintln!("time limit exceeded");
    eprintln!("{{\"verdict\": \"wrong_answer\"}}");
    println!("ok");
}
