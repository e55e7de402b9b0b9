"""Runs beside the caller, on places that were taken for them."""

import socket
import threading
from pathlib import Path

import pytest
from scorer_launcher import Limits, Sandbox, SandboxClosed, Slots, Termination

from .conftest import PROGRAM, limits, make_sandbox  # noqa: TID252 -- test files have no absolute name
from .test_service import wait_until  # noqa: TID252


def test_a_started_run_goes_on_beside_the_caller(sandbox: Sandbox, slots: Slots) -> None:
    with slots.take() as places:
        run = sandbox.start([PROGRAM, "cat"], limits=limits(), places=places, stdin=b"text")
        results = [run.wait(), run.wait()]
    assert [(result.termination, result.stdout) for result in results] == [(Termination.EXITED, b"text")] * 2


def test_a_run_can_be_waited_for_by_many_and_killed_by_one(sandbox: Sandbox, slots: Slots) -> None:
    with slots.take() as places:
        run = sandbox.start([PROGRAM, "sleep"], limits=limits(wall_limit_s=60), places=places)
        ends: list[Termination] = []
        threads = [threading.Thread(target=lambda: ends.append(run.wait().termination)) for _ in range(3)]
        for thread in threads:
            thread.start()
        run.kill()
        for thread in threads:
            thread.join()
    assert ends == [Termination.STOPPED] * 3


def test_limits_are_kept_without_anybody_waiting(sandbox: Sandbox, slots: Slots) -> None:
    with slots.take() as places:
        run = sandbox.start([PROGRAM, "sleep"], limits=limits(wall_limit_s=0.2), places=places)
        end, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with other:
            talking = sandbox.start(
                [PROGRAM, "sleep"], limits=limits(wall_limit_s=0.2), places=places, channel=other.fileno()
            )
        with end:
            # Closed by the end of the run, and by nothing else.
            assert end.recv(1) == b""
        assert talking.wait().termination is Termination.WALL_TIME_LIMIT
        assert run.wait().termination is Termination.WALL_TIME_LIMIT


def test_an_executed_program_has_its_channel_and_nothing_else(sandbox: Sandbox, slots: Slots) -> None:
    end, other = socket.socketpair()
    with slots.take() as places, end, other:
        run = sandbox.start([PROGRAM, "descriptors"], limits=limits(), places=places, channel=other.fileno())
        assert run.wait().stdout.split() == [b"0", b"1", b"2", b"3"]
        run = sandbox.start([PROGRAM, "descriptors"], limits=limits(), places=places)
        assert run.wait().stdout.split() == [b"0", b"1", b"2"]


def test_an_executed_program_can_be_frozen(sandbox: Sandbox, slots: Slots) -> None:
    one, other = slots.take(), slots.take()
    with one, other:
        short: Limits = limits(cpu_limit_s=0.3, wall_limit_s=20.0)
        run = sandbox.start([PROGRAM, "burn_on_threads", "60000"], limits=short, places=one)
        run.freeze()
        sandbox.start([PROGRAM, "burn_ms", "600"], limits=limits(), places=one).wait()
        run.thaw(other)
        result = run.wait()
    assert result.termination is Termination.CPU_TIME_LIMIT
    assert 0.3 <= result.cpu_s < 0.5


def test_a_run_has_all_its_cores(sandbox: Sandbox, slots: Slots) -> None:
    with slots.take(2) as places:
        run = sandbox.start([PROGRAM, "cores"], limits=limits(), places=places)
        cores = sorted(set(places.cores))
        assert run.wait().stdout.decode().strip() in (f"{cores[0]}-{cores[-1]}", ",".join(map(str, cores)))


def test_a_program_that_is_missing_is_told_at_the_start(sandbox: Sandbox, slots: Slots) -> None:
    from scorer_launcher import SandboxError

    with slots.take() as places, pytest.raises(SandboxError, match="cannot execute /nothing"):
        sandbox.start(["/nothing"], limits=limits(), places=places)


def test_what_cannot_be_passed_on_is_refused(sandbox: Sandbox, slots: Slots) -> None:
    places = slots.take()
    for number in (-1, 12345):
        with pytest.raises(ValueError, match=f"channel is {number}"):
            sandbox.start([PROGRAM, "nothing"], limits=limits(), places=places, channel=number)
    run = sandbox.start([PROGRAM, "sleep"], limits=limits(), places=places)
    places.give_back()
    with pytest.raises(ValueError, match="given back"):
        sandbox.start([PROGRAM, "nothing"], limits=limits(), places=places)
    with pytest.raises(ValueError, match="given back"):
        run.thaw(places)
    run.kill()


def test_closing_ends_started_runs(program: Path, slots: Slots) -> None:
    sandbox = make_sandbox(program, slots)
    with slots.take() as places:
        runs = [
            sandbox.start([PROGRAM, "sleep"], limits=limits(wall_limit_s=60), places=places) for _ in range(2)
        ]
        runs[1].freeze()
        sandbox.close()
        for call in (runs[0].wait, runs[1].wait, runs[0].freeze, lambda: runs[1].thaw(places)):
            with pytest.raises(SandboxClosed):
                call()
        with pytest.raises(SandboxClosed):
            sandbox.start([PROGRAM, "nothing"], limits=limits(), places=places)


def test_a_sandbox_that_is_forgotten_lives_as_long_as_its_runs(program: Path, slots: Slots) -> None:
    with slots.take() as places:
        run = make_sandbox(program, slots).start([PROGRAM, "burn_ms", "50"], limits=limits(), places=places)
        assert run.wait().exit_code == 0


def test_places_are_taken_together_in_the_order_of_asking() -> None:
    slots = Slots(2)
    first = slots.take()
    order: list[tuple[str, int]] = []

    def take(name: str, count: int) -> None:
        with slots.take(count):
            order.append((name, slots.busy))

    threads = []
    for waiting, (name, count) in enumerate([("both", 2), ("one", 1), ("other", 1)], start=1):
        threads.append(threading.Thread(target=take, args=(name, count)))
        threads[-1].start()
        wait_until(lambda waiting=waiting: slots.waiting == waiting)  # type: ignore[misc]
    # One is free all the time, and the front needs two.
    assert (slots.busy, order) == (1, [])
    first.give_back()
    first.give_back()
    for thread in threads:
        thread.join()
    assert order[0] == ("both", 2)
    assert {name for name, _ in order} == {"both", "one", "other"}
    assert (slots.busy, slots.waiting) == (0, 0)


def test_a_run_waits_for_places_that_were_taken(program: Path) -> None:
    slots = Slots(1)
    with make_sandbox(program, slots) as sandbox:
        places = slots.take()
        thread = threading.Thread(
            target=lambda: sandbox.run([PROGRAM, "nothing"], limits=limits()), daemon=True
        )
        thread.start()
        wait_until(lambda: slots.waiting == 1)
        del places
        thread.join()
    assert slots.busy == 0


@pytest.mark.parametrize("count", [0, 3])
def test_no_more_places_can_be_taken_than_there_are(count: int) -> None:
    with pytest.raises(ValueError, match=f"count is {count}; between 1 and 2"):
        Slots(2).take(count)
