//= why = "the child is gone when the verdict is given (problemtools#450)"
use std::process::{Command, Stdio};

fn main() {
    if std::env::args().nth(1).is_some() {
        std::thread::sleep(std::time::Duration::from_secs(600));
        return;
    }
    let quiet = || Stdio::null();
    let child = Command::new("/proc/self/exe").arg("child").stdin(quiet()).stdout(quiet()).stderr(quiet()).spawn();
    drop(child);
    println!("ok");
}
