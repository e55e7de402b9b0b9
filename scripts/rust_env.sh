# Sourced before cargo: rustup's cargo looks for its toolchains below HOME, so with another HOME than the one
# it was installed for it finds none. Then they are looked for beside the command itself.
if ! command -v cargo >/dev/null 2>&1; then
  echo "No cargo: install Rust, as told on rust-lang.org, or put cargo on PATH." >&2
  exit 1
fi
if ! cargo --version >/dev/null 2>&1 && [ -z "${RUSTUP_HOME:-}" ]; then
  RUSTUP_HOME="$(cd "$(dirname "$(command -v cargo)")/../.." && pwd)/.rustup"
  export RUSTUP_HOME
fi
if ! cargo --version >/dev/null 2>&1; then
  echo "cargo is there but does not run (RUSTUP_HOME=${RUSTUP_HOME:-}): set RUSTUP_HOME to rustup's folder." >&2
  exit 1
fi
