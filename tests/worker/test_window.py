"""What is on the clock, and what is in the snapshot."""

from scorer_service.worker.client import Worker


async def test_what_is_written_after_the_clock_stopped_is_in_no_snapshot(worker: Worker) -> None:
    answer = await worker.call("tests.worker.windows:late_writes", {})
    assert answer == {"in_snapshot": True, "in_buffer": False}


async def test_the_input_is_seen_from_the_moment_the_clock_runs(worker: Worker) -> None:
    seen = await worker.call("tests.worker.windows:sight_of_input", {})
    assert seen["before"] == 0
    assert seen["readings"][0] is False
    assert seen["go"] == [ord("G")]
    assert seen["at_go"] == 1000
    # The work is on the clock, and the 50 ms before "ready" are not.
    assert seen["worked_ns"] < seen["timed_ns"]
    assert seen["snapshot_touched"]
