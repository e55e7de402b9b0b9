"""rust_codecontests: Rust programs, one for each contest problem, judged on hidden tests."""
