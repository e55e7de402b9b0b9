//= why = "ends at the limit of processes, and the next test runs at its usual speed (domjudge-packaging#13)"
//= or_verdicts = ["runtime_error", "cpu_time_limit", "wall_time_limit", "memory_limit"]
//= wall_limit_s = 3.0
unsafe extern "C" {
    fn fork() -> i32;
}

fn main() {
    loop {
        // SAFETY: one thread; parent and child both only fork again.
        unsafe { fork() };
    }
}
