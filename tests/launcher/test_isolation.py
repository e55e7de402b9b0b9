"""What a program can see and reach: its own files and processes, and nothing else."""

import os
import socket
import threading
from pathlib import Path

import pytest
from scorer_launcher import Mount, RunResult, Sandbox, SandboxError, Slots, Termination, probe

from .conftest import PROGRAM, Run, limits, make_sandbox  # noqa: TID252 -- test files have no absolute name

EPERM, ENOSYS = 1, 38
#: F_SETSIG, F_GETLK, F_SETLK, F_SETLKW, those of open file descriptions, F_SETLEASE, F_GETLEASE, F_NOTIFY.
FCNTL_LOCKS = [10, 5, 6, 7, 36, 37, 38, 1024, 1025, 1026]
AMD64 = pytest.mark.skipif(os.uname().machine != "x86_64", reason="numbers of system calls of amd64")


def test_the_probe_finds_all_that_a_sandbox_needs() -> None:
    found = probe()
    assert set(found.namespaces) == {"user", "pid", "mount", "network", "ipc", "uts"}
    assert found.seccomp
    assert found.cgroup in ("v2", "v1", "none")
    assert found.privileged == (os.geteuid() == 0)
    assert all(complaint.strip() for complaint in found.complaints)


def test_the_root_holds_nothing_of_the_host(run: Run) -> None:
    listed = run("list", "/", "/work", "/tmp", "/dev", "/proc").stdout.decode().splitlines()
    assert listed[0] == "/: dev proc program run tmp work"
    assert listed[1:3] == ["/work: ", "/tmp: "]
    assert listed[3] == "/dev: fd full null random shm stderr stdin stdout urandom zero"
    assert listed[4].split()[1:] in (["2", "self", "thread-self"], [])


@pytest.mark.parametrize("path", ["/etc/passwd", "/sys/kernel", "/proc/1/environ", "/proc/kallsyms", "/root"])
def test_files_of_the_host_are_not_there(run: Run, path: str) -> None:
    assert run("read", path).stdout in (b"NotFound\n", b"PermissionDenied\n")


@pytest.mark.parametrize(
    "path", ["/file", "/dev/file", "/proc/self/comm", PROGRAM, "/run/file", "/dev/null/x"]
)
def test_nothing_outside_the_scratch_can_be_written(run: Run, path: str) -> None:
    assert run("write", path, "x").stdout != b"ok\n"


@pytest.mark.parametrize("path", ["/work/file", "/tmp/file", "/dev/shm/file", "/dev/null"])
def test_the_scratch_can_be_written(run: Run, path: str) -> None:
    assert run("write", path, "x").stdout == b"ok\n"


def test_a_program_has_no_rights_and_no_way_to_get_any(run: Run) -> None:
    lines = dict(line.split(":", 1) for line in run("identity").stdout.decode().splitlines())
    assert "0" not in lines["Uid"].split()
    for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"):
        assert int(lines[name], 16) == 0, name
    assert lines["NoNewPrivs"].strip() == "1"
    assert lines["Seccomp"].strip() == "2"


def test_it_inherits_only_its_stdio(run: Run) -> None:
    assert run("descriptors").stdout.split() == [b"0", b"1", b"2"]


def test_its_environment_is_what_was_given(
    program: Path, slots: Slots, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET", "x")
    with make_sandbox(program, slots, A="1", B="two words") as sandbox:
        result = sandbox.run([PROGRAM, "environment"], limits=limits())
    assert result.stdout.decode().splitlines() == ["A=1", "B=two words"]


def test_its_input_cannot_be_changed(run: Run) -> None:
    result = run("rewrite_stdin", stdin=b"as given")
    assert result.stdout.startswith(b"Err(")
    assert result.stdout.endswith(b"as given")


@AMD64
@pytest.mark.parametrize(
    ("call", "error"),
    [
        pytest.param(["41", str(int(family)), "1"], EPERM, id=f"socket-{family.name}")
        for family in (socket.AF_UNIX, socket.AF_INET, socket.AF_INET6, socket.AF_NETLINK, socket.AF_PACKET)
    ]
    + [
        pytest.param(["29", "0", "4096", "512"], ENOSYS, id="shmget"),
        pytest.param(["64", "0", "1", "512"], ENOSYS, id="semget"),
        pytest.param(["68", "0", "512"], ENOSYS, id="msgget"),
        pytest.param(["240", "0", "0"], ENOSYS, id="mq_open"),
        pytest.param(["101", "0", "0"], EPERM, id="ptrace"),
        pytest.param(["310", "1"], EPERM, id="process_vm_readv"),
        pytest.param(["438", "0", "0"], ENOSYS, id="pidfd_getfd"),
        pytest.param(["312", "1", "1"], ENOSYS, id="kcmp"),
        pytest.param(["250", "0"], ENOSYS, id="keyctl"),
        pytest.param(["248", "0"], ENOSYS, id="add_key"),
        pytest.param(["425", "1"], ENOSYS, id="io_uring_setup"),
        pytest.param(["321", "0"], EPERM, id="bpf"),
        pytest.param(["298", "0"], EPERM, id="perf_event_open"),
        pytest.param(["323", "0"], ENOSYS, id="userfaultfd"),
        pytest.param(["165", "0"], EPERM, id="mount"),
        pytest.param(["428", "-100"], EPERM, id="open_tree"),
        pytest.param(["155", "0"], ENOSYS, id="pivot_root"),
        pytest.param(["161", "0"], ENOSYS, id="chroot"),
        pytest.param(["272", str(0x10000000)], EPERM, id="unshare"),
        pytest.param(["308", "0"], EPERM, id="setns"),
        pytest.param(["435", "0", "0"], ENOSYS, id="clone3"),
        pytest.param(["56", str(0x10000000 | 17)], EPERM, id="clone-newuser"),
        pytest.param(["56", str(0x00020000 | 17)], EPERM, id="clone-newns"),
        pytest.param(["56", str(0x40000000 | 17)], EPERM, id="clone-newnet"),
        pytest.param(["430", "0"], EPERM, id="fsopen"),
        pytest.param(["429", "0"], EPERM, id="move_mount"),
        pytest.param(["304", "0"], ENOSYS, id="open_by_handle_at"),
        pytest.param(["303", "0"], ENOSYS, id="name_to_handle_at"),
        pytest.param(["227", "0"], EPERM, id="clock_settime"),
        pytest.param(["169", "0"], EPERM, id="reboot"),
        pytest.param(["167", "0"], ENOSYS, id="swapon"),
        pytest.param(["246", "0"], ENOSYS, id="kexec_load"),
        pytest.param(["313", "0"], ENOSYS, id="finit_module"),
        pytest.param(["203", "0", "8"], EPERM, id="sched_setaffinity"),
        pytest.param(["135", "0"], EPERM, id="personality"),
        pytest.param(["103", "0"], ENOSYS, id="syslog"),
        pytest.param(["317", "1"], EPERM, id="seccomp"),
        pytest.param(["16", "0", str(0x5412)], ENOSYS, id="ioctl-TIOCSTI"),
        pytest.param(["53", "2", "1", "0"], ENOSYS, id="socketpair-inet"),
        pytest.param(["53", "1", "2", "0"], ENOSYS, id="socketpair-datagram"),
        pytest.param(["53", "1", "3", "0"], ENOSYS, id="socketpair-raw"),
        pytest.param(["73", "0", "6"], ENOSYS, id="flock"),
        pytest.param(["222", "0", "0", "0"], ENOSYS, id="timer_create"),
        pytest.param(["62", "2", "18"], EPERM, id="kill-sigcont"),
        pytest.param(["200", "2", "18"], EPERM, id="tkill-sigcont"),
        pytest.param(["234", "2", "2", "18"], EPERM, id="tgkill-sigcont"),
        pytest.param(["129", "2", "18", "0"], EPERM, id="rt_sigqueueinfo-sigcont"),
        pytest.param(["297", "2", "2", "18", "0"], EPERM, id="rt_tgsigqueueinfo-sigcont"),
        pytest.param(["424", "0", "18", "0", "0"], EPERM, id="pidfd_send_signal-sigcont"),
        pytest.param(["56", "18"], EPERM, id="clone-sigcont"),
        pytest.param(["157", "1", "18"], EPERM, id="pdeathsig-sigcont"),
        *[pytest.param(["72", "0", str(command)], EPERM, id=f"fcntl-{command}") for command in FCNTL_LOCKS],
        pytest.param(["302", "1", "7", "0", "0"], EPERM, id="prlimit-of-the-init"),
        pytest.param([str(0x40000000 | 39)], ENOSYS, id="x32-getpid"),
        pytest.param(["9999"], ENOSYS, id="unknown"),
    ],
)
def test_system_calls_that_lead_out_are_refused(run: Run, call: list[str], error: int) -> None:
    result = run("syscall", *call)
    assert (result.termination, result.stdout) == (Termination.EXITED, f"{-error}\n".encode())


@AMD64
@pytest.mark.parametrize(
    "call",
    [
        pytest.param(["39"], id="getpid"),
        pytest.param(["24"], id="sched_yield"),
        pytest.param(["157", "15", "0"], id="prctl"),
        pytest.param(["157", "1", "9"], id="pdeathsig"),
        pytest.param(["62", "2", "0"], id="kill"),
        pytest.param(["309"], id="getcpu"),
        pytest.param(["53", "1", "5", "0"], id="socketpair"),
        pytest.param(["302", "0", "7", "0", "0"], id="prlimit"),
    ],
)
def test_harmless_system_calls_are_not(run: Run, call: list[str]) -> None:
    assert run("syscall", *call).stdout not in (f"{-ENOSYS}\n".encode(), f"{-EPERM}\n".encode())


def test_it_cannot_reach_the_process_that_started_it(run: Run) -> None:
    result = run("stop_parent", limits=limits(wall_limit_s=2))
    assert result.termination is Termination.EXITED
    assert result.stdout in (b"1 -1\n", b"1 0\n")
    assert run("kill_all").termination in (Termination.EXITED, Termination.SIGNALED)
    assert run("echo", "next").stdout == b"next\n"


def test_nothing_is_left_for_the_next_run(run: Run) -> None:
    for path in ("/work/note", "/tmp/note", "/dev/shm/note"):
        assert run("write", path, "x").stdout == b"ok\n"
        assert run("read", path).stdout == b"NotFound\n"


def test_runs_at_the_same_time_see_nothing_of_each_other(sandbox: Sandbox) -> None:
    results: list[RunResult] = []
    lock = threading.Lock()

    def fork_and_look() -> None:
        for _ in range(10):
            one = sandbox.run([PROGRAM, "processes", "30"], limits=limits(process_limit=31))
            two = sandbox.run([PROGRAM, "list", "/proc", "/work", "/tmp"], limits=limits())
            with lock:
                results.extend((one, two))

    threads = [threading.Thread(target=fork_and_look) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    outputs = {result.stdout for result in results}
    assert outputs == {b"30\n", b"/proc: 2 self thread-self\n/work: \n/tmp: \n"}


def test_files_of_a_run_are_there_and_its_own(run: Run) -> None:
    files = {"a": b"one", "deep/er/b": b"two"}
    assert run("list", "/work", "/work/deep/er", files=files).stdout == b"/work: a deep\n/work/deep/er: b\n"
    assert run("read", "deep/er/b", files=files).stdout == b"two"
    assert run("write", "a", "mine", files=files).stdout == b"ok\n"


@pytest.mark.parametrize("path", ["/etc/x", "../x", "a/../b", "", "a//b", ".", "a\0b"])
def test_paths_that_lead_elsewhere_are_refused(run: Run, path: str) -> None:
    with pytest.raises(ValueError, match="relative path"):
        run("nothing", files={path: b""})
    with pytest.raises(ValueError, match="relative path"):
        run("nothing", collect={path: 1})


def test_only_plain_files_are_taken_from_a_run(run: Run) -> None:
    asked = [
        "alone",
        "folder/inner",
        "link",
        "root/etc/passwd",
        "folder",
        "regular",
        "second",
        "fifo",
        "absent",
    ]
    result = run("leave", collect=dict.fromkeys(asked, 100) | {"large": 4095})
    assert result.exit_code == 0, result.stderr
    assert result.files == {"alone": b"once", "folder/inner": b"inside"}
    assert result.refused_files == {
        "link": "symlink",
        "root/etc/passwd": "symlink",
        "folder": "not regular",
        "fifo": "not regular",
        "regular": "hard link",
        "second": "hard link",
        "large": "too large: 4096 bytes, at most 4095 are taken",
    }


@pytest.mark.parametrize(
    "target", ["usr", "/", "/a/../b", "/work/x", "/tmp", "/dev/null", "/proc/x", "/a//b"]
)
def test_mounts_have_sensible_targets(target: str) -> None:
    with pytest.raises(ValueError, match="target"):
        Mount("/usr", target)


def test_a_source_that_is_missing_is_named(slots: Slots) -> None:
    with pytest.raises(SandboxError, match="/no/such/place"):
        Sandbox(mounts=[Mount("/no/such/place", "/place")], slots=slots)


def test_a_linked_source_is_resolved_and_mounts_nest(program: Path, slots: Slots, tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    (tree / "inner").mkdir(parents=True)
    (tree / "file").write_text("outer")
    (tmp_path / "link").symlink_to(tree)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "file").write_text("nested")
    mounts = [
        Mount(str(program), PROGRAM),
        Mount(str(tmp_path / "link"), "/far/away"),
        Mount(str(tmp_path / "other"), "/far/away/inner"),
    ]
    with Sandbox(mounts=mounts, slots=slots) as sandbox:
        read = [
            sandbox.run([PROGRAM, "read", f"/far/away/{path}"], limits=limits()).stdout
            for path in ("file", "inner/file")
        ]
        written = sandbox.run([PROGRAM, "write", "/far/away/file", "x"], limits=limits()).stdout
    assert read == [b"outer", b"nested"]
    assert written != b"ok\n"
    assert (tree / "file").read_text() == "outer"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives sandboxes ids of their own")
def test_a_folder_of_root_is_closed_even_where_it_is_mounted(
    program: Path, slots: Slots, tmp_path: Path
) -> None:
    secret = tmp_path / "secret"
    secret.mkdir(mode=0o700)
    (secret / "file").write_text("x")
    with Sandbox(
        mounts=[Mount(str(program), PROGRAM), Mount(str(secret), "/secret")], slots=slots
    ) as sandbox:
        assert sandbox.run([PROGRAM, "read", "/secret/file"], limits=limits()).stdout == b"PermissionDenied\n"


def test_a_copied_file_is_the_sandboxs_own_and_does_not_tell_where_it_was(
    program: Path, slots: Slots
) -> None:
    mounts = [Mount(str(program), PROGRAM), Mount(str(program), "/deep/copy", copy=True)]
    with Sandbox(mounts=mounts, slots=slots, environment={}) as sandbox:
        read = sandbox.run(["/deep/copy", "read", "/deep/copy"], limits=limits(output_limit_bytes=64 << 20))
        mounted = sandbox.run(["/deep/copy", "read", "/proc/self/mountinfo"], limits=limits())
        written = sandbox.run(["/deep/copy", "write", "/deep/copy", "x"], limits=limits())
    assert read.stdout == program.read_bytes()
    assert (b" /program " in mounted.stdout, b"/deep" in mounted.stdout) == (True, False)
    assert written.stdout != b"ok\n"


def test_a_copy_that_cannot_be_made_is_named(slots: Slots) -> None:
    for source in ("/usr", "/does/not/exist"):
        with pytest.raises(SandboxError, match=source):
            Sandbox(mounts=[Mount(source, PROGRAM, copy=True)], slots=slots, environment={})
