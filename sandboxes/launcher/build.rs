//! Builds the supervisor executable of this same package, for the extension to carry.
//!
//! A wheel built by maturin holds either an extension or executables, so the executable travels inside the
//! extension (`include_bytes!`), and is run from a sealed memfd: it can be neither missing, nor of another
//! version, nor replaced on disk.

use std::env;
use std::path::PathBuf;
use std::process::Command;

const NAME: &str = "scorer-sandbox-supervisor";

fn main() {
    println!("cargo::rerun-if-changed=src");
    println!("cargo::rerun-if-changed=Cargo.lock");
    println!("cargo::rerun-if-changed=build.rs");
    // The nested build has the feature `supervisor` alone, which ends the recursion.
    if env::var_os("CARGO_FEATURE_LAUNCHER").is_none() {
        return;
    }
    let target = env::var("TARGET").expect("cargo sets TARGET");
    let folder = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR")).join("supervisor");
    // Static: no loader, few mappings, so that it forks in the shortest time and needs no file after it has
    // left the host's root. A machine without the static C library gets a dynamic one, which works as well.
    let linked = build(&target, &folder, "-Ctarget-feature=+crt-static -Crelocation-model=static") || {
        println!("cargo::warning=no static C library: the sandbox supervisor is linked dynamically");
        build(&target, &folder, "")
    };
    assert!(linked, "the sandbox supervisor does not build; see the compiler's output above");
    let path = folder.join(&target).join("release").join(NAME);
    println!("cargo::rustc-env=SCORER_SUPERVISOR_PATH={}", path.display());
}

fn build(target: &str, folder: &PathBuf, rustflags: &str) -> bool {
    let mut cargo = Command::new(env::var_os("CARGO").expect("cargo sets CARGO"));
    // Settings meant for the extension (a lint driver, its link arguments, a target folder) must not reach the
    // executable; nor its list of features, which the nested build script would take for its own.
    let foreign = |name: &str| {
        name.starts_with("CARGO_FEATURE_")
            || name.starts_with("CARGO_CFG_")
            || name.starts_with("CARGO_PROFILE_")
    };
    for (name, _) in env::vars_os().filter(|(name, _)| name.to_str().is_some_and(foreign)) {
        cargo.env_remove(name);
    }
    for name in
        ["CARGO_ENCODED_RUSTFLAGS", "RUSTC_WORKSPACE_WRAPPER", "CARGO_BUILD_TARGET", "CARGO_TARGET_DIR"]
    {
        cargo.env_remove(name);
    }
    cargo
        .env("RUSTFLAGS", rustflags)
        .env("CARGO_PROFILE_RELEASE_PANIC", "abort")
        .env("CARGO_PROFILE_RELEASE_STRIP", "true")
        .args(["build", "--release", "--locked", "--no-default-features", "--features", "supervisor"])
        .args(["--bin", NAME, "--target", target, "--target-dir"])
        .arg(folder)
        .current_dir(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR"))
        .status()
        .is_ok_and(|status| status.success())
}
