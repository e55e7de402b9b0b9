"""Every limit, just under and just over, under each way of accounting that the machine has."""

import pytest
from scorer_launcher import Limits, Sandbox, Termination

from .conftest import MIB, PROGRAM, Run, limits  # noqa: TID252 -- test files have no absolute name

SIGSEGV, SIGABRT = 11, 6


def test_a_program_that_exits_is_judged_by_its_code(run_any: Run) -> None:
    for code in (0, 1, 101, 255):
        result = run_any("exit", str(code))
        assert (result.termination, result.exit_code, result.signal) == (Termination.EXITED, code, None)


def test_a_panic_is_exit_101(run_any: Run) -> None:
    result = run_any("panic")
    assert (result.termination, result.exit_code) == (Termination.EXITED, 101)
    assert b"on purpose" in result.stderr


@pytest.mark.parametrize("signal", [SIGABRT, 9, 15])
def test_a_signal_is_named(run_any: Run, signal: int) -> None:
    result = run_any("raise", str(signal))
    assert (result.termination, result.exit_code, result.signal) == (Termination.SIGNALED, None, signal)


def test_cpu_time_under_the_limit_is_accepted_and_counted(run_any: Run) -> None:
    result = run_any("burn_ms", "300", limits=limits(cpu_limit_s=0.5))
    assert result.termination is Termination.EXITED
    assert 0.3 <= result.cpu_s < 0.4


def test_ten_milliseconds_over_the_limit_are_over_it(run_any: Run) -> None:
    result = run_any("burn_ms", "520", limits=limits(cpu_limit_s=0.5))
    assert result.termination is Termination.CPU_TIME_LIMIT
    assert result.exit_code is None


def test_a_busy_loop_is_stopped_close_to_the_limit(run_any: Run) -> None:
    result = run_any("burn_ms", "60000", limits=limits(cpu_limit_s=0.5))
    assert result.termination is Termination.CPU_TIME_LIMIT
    assert 0.5 <= result.cpu_s < 0.6


@pytest.mark.parametrize("way", ["burn_in_child", "burn_in_forgotten_child", "burn_on_threads"])
def test_cpu_time_of_children_and_threads_counts(run_any: Run, way: str) -> None:
    result = run_any(way, "60000", limits=limits(cpu_limit_s=0.4))
    assert result.termination is Termination.CPU_TIME_LIMIT
    assert 0.4 <= result.cpu_s < 0.6


def test_cpu_time_of_a_child_that_ended_unseen_counts(run: Run, accounted_processes: bool) -> None:
    # Without a cgroup, what it used after the last look is lost.
    assert run("burn_in_forgotten_child", "300").cpu_s >= (0.3 if accounted_processes else 0.2)


def test_sleeping_ends_at_the_wall_limit(run_any: Run) -> None:
    result = run_any("sleep", limits=limits(wall_limit_s=0.3))
    assert result.termination is Termination.WALL_TIME_LIMIT
    assert 0.3 <= result.wall_s < 0.5
    assert result.cpu_s < 0.1


def test_a_program_that_stops_itself_ends_at_the_wall_limit(run_any: Run) -> None:
    result = run_any("stop_itself", limits=limits(wall_limit_s=0.3))
    assert result.termination is Termination.WALL_TIME_LIMIT
    assert result.stdout == b""


def test_memory_under_the_limit_is_accepted(run_any: Run) -> None:
    result = run_any("touch_mib", "200")
    assert result.termination is Termination.EXITED
    assert 200 * MIB <= result.peak_memory_bytes < 215 * MIB


def test_memory_over_the_limit_is_named(run_any: Run) -> None:
    result = run_any("touch_mib", "270")
    assert result.termination is Termination.MEMORY_LIMIT


@pytest.mark.parametrize("way", ["static_array", "grow"])
def test_a_large_array_and_a_growing_vector_are_memory_and_no_signal(run_any: Run, way: str) -> None:
    result = run_any(way, limits=limits(memory_limit_bytes=512 * MIB))
    assert result.termination is Termination.MEMORY_LIMIT
    assert result.signal is None


def test_an_array_that_is_not_touched_is_no_memory(run_any: Run) -> None:
    assert run_any("nothing", limits=limits(memory_limit_bytes=64 * MIB)).termination is Termination.EXITED


def test_memory_of_a_child_counts_even_if_its_parent_survives(run_any: Run) -> None:
    result = run_any("child_touches_mib", "300")
    assert result.termination is Termination.MEMORY_LIMIT


def test_the_next_run_starts_with_all_of_its_memory(run_any: Run) -> None:
    for _ in range(3):
        assert run_any("touch_mib", "300").termination is Termination.MEMORY_LIMIT
        assert run_any("touch_mib", "235").termination is Termination.EXITED


def test_the_memory_of_the_server_is_not_the_programs(run_any: Run) -> None:
    ballast = bytearray(400 * MIB)
    ballast[::4096] = b"x" * len(ballast[::4096])
    result = run_any("touch_mib", "8", limits=limits(memory_limit_bytes=32 * MIB))
    assert result.termination is Termination.EXITED
    assert result.peak_memory_bytes < 16 * MIB


def test_large_input_and_output_are_not_the_programs_memory(run_any: Run) -> None:
    text = b"x" * (48 * MIB)
    result = run_any("cat", stdin=text, limits=limits(memory_limit_bytes=16 * MIB))
    assert result.termination is Termination.EXITED
    assert result.stdout == text


def test_files_given_to_a_run_are_not_the_programs_memory(run_any: Run) -> None:
    files = {"data": b"x" * (48 * MIB)}
    result = run_any("read", "data", files=files, limits=limits(memory_limit_bytes=64 * MIB))
    assert result.termination is Termination.EXITED
    assert result.stdout == files["data"]
    assert result.peak_memory_bytes < 56 * MIB


def test_the_stack_follows_the_memory_limit(run_any: Run) -> None:
    result = run_any("stack_mib", "64")
    assert result.termination is Termination.EXITED
    assert result.peak_memory_bytes > 60 * MIB


def test_endless_recursion_is_a_signal(run_any: Run) -> None:
    result = run_any("recurse")
    assert result.termination is Termination.SIGNALED
    assert result.signal in (SIGABRT, SIGSEGV)


def test_output_up_to_the_limit_is_kept_whole(run_any: Run) -> None:
    result = run_any("output", "100000", limits=limits(output_limit_bytes=100_000))
    assert result.termination is Termination.EXITED
    assert len(result.stdout) == 100_000


def test_one_byte_more_is_over_the_limit(run_any: Run) -> None:
    result = run_any("output", "100001", limits=limits(output_limit_bytes=100_000))
    assert result.termination is Termination.OUTPUT_LIMIT
    assert len(result.stdout) == 100_000


def test_endless_output_is_stopped_at_the_limit(run_any: Run) -> None:
    result = run_any("output_forever", limits=limits(output_limit_bytes=MIB))
    assert result.termination is Termination.OUTPUT_LIMIT
    assert len(result.stdout) == MIB
    assert result.wall_s < 5


def test_errors_beyond_their_limit_are_dropped_and_harm_nobody(run_any: Run) -> None:
    result = run_any("errors", str(8 * MIB), limits=limits(stderr_limit_bytes=1000))
    assert result.termination is Termination.EXITED
    assert result.stderr == b"x" * 1000


def test_output_before_the_input_is_read_does_not_block(run_any: Run) -> None:
    result = run_any("write_then_read", str(MIB), stdin=b"y" * MIB)
    assert result.stdout == b"x" * MIB + str(MIB).encode()


def test_input_that_is_never_read_does_not_block(run_any: Run) -> None:
    result = run_any("echo", "done", stdin=b"y" * (64 * MIB))
    assert (result.termination, result.stdout) == (Termination.EXITED, b"done\n")


def test_input_reaches_the_program_unchanged(run_any: Run) -> None:
    for text in (b"", b"a\r\nb", b"\x00\xff\n", b"no newline"):
        assert run_any("cat", stdin=text).stdout == text


def test_processes_up_to_the_limit_are_made(run_any: Run) -> None:
    result = run_any("processes", "30", limits=limits(process_limit=31))
    assert (result.termination, result.stdout) == (Termination.EXITED, b"30\n")
    assert result.exit_code == 0


def test_one_process_more_is_refused_and_named(run: Run, accounted_processes: bool) -> None:
    result = run("processes", "31", limits=limits(process_limit=31))
    assert result.stdout == b"30\n"
    if accounted_processes:
        assert result.termination is Termination.PROCESS_LIMIT


def test_one_process_more_is_refused_without_a_cgroup_too(run_any: Run) -> None:
    assert run_any("processes", "31", limits=limits(process_limit=31)).stdout == b"30\n"


def test_threads_count_as_processes(run: Run, accounted_processes: bool) -> None:
    assert run("threads", "8", limits=limits(process_limit=9)).exit_code == 0
    refused = run("threads", "16", limits=limits(process_limit=9))
    assert refused.exit_code != 0
    if accounted_processes:
        assert refused.termination is Termination.PROCESS_LIMIT


def test_a_fork_bomb_is_contained_and_leaves_nothing(run_any: Run) -> None:
    result = run_any("fork_bomb", limits=limits(cpu_limit_s=0.3))
    assert result.termination in (Termination.CPU_TIME_LIMIT, Termination.PROCESS_LIMIT)
    after = run_any("burn_ms", "100")
    assert after.termination is Termination.EXITED
    assert after.wall_s < 0.5


def test_scratch_is_limited_and_empty_again(run_any: Run) -> None:
    small = limits(scratch_limit_bytes=4 * MIB)
    result = run_any("fill", "/tmp/big", "16", limits=small)
    assert result.stdout.startswith(b"StorageFull after ")
    assert 3000 < int(result.stdout.split()[2]) <= 4096
    assert run_any("list", "/work", "/tmp", "/dev/shm").stdout == b"/work: \n/tmp: \n/dev/shm: \n"
    assert run_any("fill", "/dev/shm/big", "3", limits=small).stdout == b"wrote 3072 KiB\n"


def test_inodes_are_limited(run: Run) -> None:
    result = run("many_files", "100000", limits=limits(scratch_limit_bytes=4 * MIB))
    assert result.stdout == b"StorageFull\n"


def test_the_size_of_a_file_is_limited(run_any: Run) -> None:
    result = run_any("fill", "big", "16", limits=limits(file_size_limit_bytes=MIB))
    assert result.termination is Termination.OUTPUT_LIMIT


def test_a_program_uses_one_core(run: Run) -> None:
    assert run("cores").stdout.strip().isdigit()


def test_what_a_program_says_is_not_what_it_did(run: Run) -> None:
    result = run("echo", "time", "limit", "exceeded")
    assert result.termination is Termination.EXITED


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("cpu_limit_s", 0.0),
        ("cpu_limit_s", -1.0),
        ("wall_limit_s", float("nan")),
        ("memory_limit_bytes", 1000),
    ],
)
def test_limits_that_make_no_sense_are_refused_by_name(name: str, value: float) -> None:
    with pytest.raises(ValueError, match=name):
        limits(**{name: value})


def test_a_program_that_is_missing_is_the_services_failure(sandbox: Sandbox) -> None:
    from scorer_launcher import SandboxError

    with pytest.raises(SandboxError, match=r"cannot execute /nothing: No such file"):
        sandbox.run(["/nothing"], limits=limits())
    result = sandbox.run([PROGRAM, "exit", "0"], limits=limits())
    assert result.exit_code == 0


def test_limits_are_a_value(sandbox: Sandbox) -> None:
    assert isinstance(limits(), Limits)
