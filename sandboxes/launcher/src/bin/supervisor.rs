//! The supervisor executable: see `scorer_launcher::supervisor`.

fn main() -> ! {
    scorer_launcher::supervisor::main()
}
