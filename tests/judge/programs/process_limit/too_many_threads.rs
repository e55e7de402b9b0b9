//= why = "a thread that cannot be started, and a program that gives up over it"
fn main() {
    let threads: Vec<_> = (0..1000)
        .map(|_| std::thread::spawn(|| std::thread::sleep(std::time::Duration::from_secs(600))))
        .collect();
    println!("{}", threads.len());
}
