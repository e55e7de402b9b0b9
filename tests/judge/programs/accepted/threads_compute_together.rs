//= why = "threads are allowed, and their time is summed"
fn main() {
    let workers: Vec<_> = (0..8u64).map(|n| std::thread::spawn(move || (0..100_000).fold(n, |a, b| a ^ b))).collect();
    let total = workers.into_iter().map(|worker| worker.join().unwrap()).fold(0, |a, b| a ^ b);
    std::hint::black_box(total);
    println!("ok");
}
