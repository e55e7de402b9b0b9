"""Much that waits: a thousand calls on one server, ten thousand jobs over a restart."""

import asyncio
import signal
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grpc.aio
from grpc_health.v1 import health_pb2, health_pb2_grpc
from measurement import Measurement, percentile
from overload import CLIENTS_OF_A_CHANNEL, NAME, OWN_CONNECTION, PLACES, empty_server, new_attempt
from running_server import resident_bytes, running_server
from scorer.v1 import result_pb2, rust_codecontests_pb2

from scorer_service.store.database import FILE_NAME, Database
from scorer_service.store.interface import NewJob
from scorer_service.store.jobs import SqliteJobQueue
from scorer_service.store.limits import QueueLimits

CALLS = 1000
ENDLESS_S = 3600.0
CHECKS = 300
QUEUED = 10_000
CLIENTS = 100


def measure() -> Iterator[Measurement]:
    """Calls that wait, and jobs that wait."""
    with empty_server(ENDLESS_S, PLACES, 2 * CALLS) as (address, pid):
        checks_ms, resident_mb = asyncio.run(_check_beside_waiting_calls(address, pid))
    yield Measurement(
        f"health check beside {CALLS} waiting calls, p50",
        percentile(checks_ms, 50),
        10.0,
        unit="ms",
        detail=f"p99 {percentile(checks_ms, 99):.1f} ms, {CHECKS} checks",
    )
    yield Measurement(f"resident memory with {CALLS} waiting calls", resident_mb, 300.0, unit="MB")
    yield _restart()


async def _check_beside_waiting_calls(address: str, pid: int) -> tuple[list[float], float]:
    """Times of checks in milliseconds, and what the server takes in MB meanwhile."""
    channels = [
        grpc.aio.insecure_channel(address, OWN_CONNECTION) for _ in range(CALLS // CLIENTS_OF_A_CHANNEL)
    ]
    waiting = [asyncio.create_task(_wait(channels[number % len(channels)])) for number in range(CALLS)]
    async with grpc.aio.insecure_channel(address, OWN_CONNECTION) as channel:
        health: Any = health_pb2_grpc.HealthStub(channel)
        request = health_pb2.HealthCheckRequest(service=NAME)
        await asyncio.gather(*(_accepted(task) for task in waiting))
        samples = []
        for _ in range(CHECKS):
            began = time.perf_counter()
            await health.Check(request)
            samples.append((time.perf_counter() - began) * 1e3)
        resident_mb = resident_bytes(pid) / 1e6
    calls = [task.result() for task in waiting]
    if ended := [call for call in calls if call.done()]:
        raise RuntimeError(f"{len(ended)} of {CALLS} calls did not wait: {await ended[0].details()}")
    for call in calls:
        call.cancel()
    for channel in channels:
        await channel.close()
    return samples, resident_mb


async def _wait(channel: grpc.aio.Channel) -> Any:
    """A call whose job is accepted and does not end. As a stream of one answer: grpc.aio tells of that early
    that it began."""
    messages = rust_codecontests_pb2
    attempt_id = await new_attempt(channel)
    score = channel.unary_stream(
        "/scorer.v1.ScoringService/ScoreRustCodecontests",
        request_serializer=messages.ScoreRustCodecontestsRequest.SerializeToString,
        response_deserializer=messages.ScoreRustCodecontestsResponse.FromString,
    )
    context = result_pb2.RequestContext(attempt_id=attempt_id)
    return score(messages.ScoreRustCodecontestsRequest(context=context))


async def _accepted(task: "asyncio.Task[Any]") -> None:
    """Initial metadata comes once the job is in the queue."""
    await (await task).initial_metadata()


def _restart() -> Measurement:
    with tempfile.TemporaryDirectory() as folder:
        with running_server(Path(folder), NAME):
            pass
        asyncio.run(_fill(Path(folder) / "state" / FILE_NAME))
        with running_server(Path(folder), NAME, "--drain-grace-s", "0") as first:
            began = time.perf_counter()
            first.process.send_signal(signal.SIGTERM)
            first.process.wait(timeout=60)
            drain_s = time.perf_counter() - began
            with running_server(Path(folder), NAME, "--drain-grace-s", "0") as second:
                start_s = second.start_s
    return Measurement(
        f"drain and restart with {QUEUED} queued jobs",
        drain_s + start_s,
        5.0,
        unit="s",
        detail=f"{drain_s:.1f} s to the exit, {start_s:.1f} s to SERVING",
    )


async def _fill(path: Path) -> None:
    """Jobs of many clients, none of which compiles."""
    program = rust_codecontests_pb2.RustProgram(
        problem_id="lamp_strips", source=result_pb2.SourceFile(inline="fn main() { ? }" + " " * 2000)
    )
    payload = rust_codecontests_pb2.ScoreRustCodecontestsRequest(programs=[program]).SerializeToString()
    database = Database(path)
    queue = SqliteJobQueue(database)
    limits = QueueLimits(2 * QUEUED, QUEUED)
    for number in range(QUEUED):
        peer = f"client {number % CLIENTS}"
        await queue.accept(NewJob(NAME, payload, "digest", None, None, peer=peer), limits)
    database.close()
