"""Judging leaves nothing behind: no process, cgroup, mount, descriptor or file, and memory stays flat."""

import os

import pytest
from leftovers import Leftovers, descriptor_count, resident_bytes
from server_process import ECHO, ServerProcess

# Each submission here is three programs with 21 runs each. The number that users are promised is 10,000 runs;
# that takes a while, so it is asked for by SCORER_LEAK_RUNS=10000.
RUNS = int(os.environ.get("SCORER_LEAK_RUNS", "600"))

FORKS_AND_STAYS = """
use std::process::Command;
fn main() {
    // A child that would outlive its parent, if anything could.
    let _ = Command::new("/proc/self/exe").env("CHILD", "1").spawn();
    if std::env::var("CHILD").is_ok() { loop { std::thread::sleep(std::time::Duration::from_secs(9)); } }
    let mut line = String::new();
    std::io::stdin().read_line(&mut line).unwrap();
    std::fs::write("/tmp/left", "x").unwrap();
    println!("{}", line.trim());
}
"""


@pytest.mark.alone
def test_many_runs_leave_nothing_behind(server: ServerProcess) -> None:
    assert server.process is not None
    programs = {"echo": ECHO, "echo_two": FORKS_AND_STAYS, "echo_three": ECHO}
    with server.client() as client:
        client.score_rust_codecontests(programs)  # the first one fills caches and pools
        before = Leftovers.now()
        descriptors, resident = descriptor_count(server.process.pid), resident_bytes(server.process.pid)
        for _ in range(0, RUNS, 63):
            assert client.score_rust_codecontests(programs).solved_count >= 2
    Leftovers.wait_until_gone(before)
    assert descriptor_count(server.process.pid) <= descriptors + 2
    assert resident_bytes(server.process.pid) < resident + (24 << 20)
