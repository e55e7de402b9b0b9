//= why = "no CPU time is used: the wall limit ends it, and the verdict says so (isolate#72)"
//= wall_limit_s = 0.5
fn main() {
    std::thread::sleep(std::time::Duration::from_secs(600));
}
