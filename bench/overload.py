"""Overload: what ten times as many clients as there is room for do to those who are accepted, and to memory.

Capacity is what a server holds: jobs under way, and those that may wait. Clients are closed loops, each an
attempt of its own, which come again when the server says so, as the client library does.
"""

import asyncio
import contextlib
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import grpc.aio
from measurement import Measurement, percentile
from running_server import resident_bytes
from scorer.v1 import attempt_pb2, attempt_pb2_grpc, result_pb2, rust_codecontests_pb2, scoring_pb2_grpc

from scorer_service.store.database import Database
from scorer_service.store.interface import NewJob
from scorer_service.store.jobs import SqliteJobQueue
from scorer_service.store.limits import QueueLimits

NAME = "rust_codecontests"
JOB_S = 0.2
PLACES = 2
QUEUE_LIMIT = 30
CAPACITY = PLACES + 1 + QUEUE_LIMIT  # one is ready ahead
PHASE_S = 15.0
EMPTY_CLIENTS = 32
EMPTY_S = 10.0
CLIENTS_OF_A_CHANNEL = 50
OWN_CONNECTION = [("grpc.use_local_subchannel_pool", 1)]
"""Without the option, channels to one address are one connection."""
WAITING = (100, 10_000)
CLAIMS = 50


@dataclass
class Load:
    """What a load saw in its time."""

    elapsed_s: float = 0.0
    latencies_s: list[float] = field(default_factory=list)
    """Of accepted jobs, from the call that was accepted to its answer."""
    refused: int = 0
    resident_bytes: int = 0

    @property
    def jobs_per_s(self) -> float:
        """How many were answered."""
        return len(self.latencies_s) / self.elapsed_s


def measure() -> Iterator[Measurement]:
    """Throughput of empty jobs, and capacity against ten times as much."""
    yield _claims()
    with empty_server(0.0, PLACES, 10_000) as (address, pid):
        empty = asyncio.run(_load(address, pid, EMPTY_CLIENTS, EMPTY_S))
    yield Measurement(
        "empty jobs a second, queue, store and RPCs",
        empty.jobs_per_s,
        300,
        higher_is_better=True,
        detail=f"{EMPTY_CLIENTS} clients on the same cores, "
        f"p50 {percentile(empty.latencies_s, 50) * 1e3:.0f} ms",
    )
    with empty_server(JOB_S, PLACES, QUEUE_LIMIT) as (address, pid):
        asyncio.run(_load(address, pid, CAPACITY, PHASE_S / 5))
        once = asyncio.run(_load(address, pid, CAPACITY, PHASE_S))
        ten, again = (asyncio.run(_load(address, pid, 10 * CAPACITY, PHASE_S)) for _ in range(2))
    p50 = [percentile(load.latencies_s, 50) for load in (once, ten)]
    yield Measurement(
        "accepted jobs, p50 at 10 times capacity / at capacity",
        p50[1] / p50[0],
        1.1,
        detail=f"{p50[1]:.2f} s / {p50[0]:.2f} s; {ten.refused} refused, {len(ten.latencies_s)} judged",
    )
    yield Measurement(
        "jobs a second at 10 times capacity / at capacity",
        ten.jobs_per_s / once.jobs_per_s,
        0.95,
        higher_is_better=True,
        detail=f"{ten.jobs_per_s:.2f} / {once.jobs_per_s:.2f}",
    )
    yield Measurement(
        "resident memory at 10 times capacity / at capacity",
        ten.resident_bytes / once.resident_bytes,
        1.25,
        detail=f"{ten.resident_bytes / 1e6:.0f} MB / {once.resident_bytes / 1e6:.0f} MB, "
        f"with {10 * CAPACITY} clients in place of {CAPACITY}",
    )
    yield Measurement(
        "resident memory after more of 10 times capacity / before",
        again.resident_bytes / ten.resident_bytes,
        1.02,
        detail=f"{again.resident_bytes / 1e6:.1f} MB / {ten.resident_bytes / 1e6:.1f} MB, {PHASE_S:.0f} s",
    )


def _claims() -> Measurement:
    """The store alone."""
    times_s = []
    for waiting in WAITING:
        with tempfile.TemporaryDirectory() as folder:
            times_s.append(asyncio.run(_claim_time_s(Path(folder), waiting)))
    return Measurement(
        f"claim with {WAITING[1]} jobs waiting / with {WAITING[0]}",
        times_s[1] / times_s[0],
        2.0,
        detail=f"{times_s[1] * 1e3:.2f} ms / {times_s[0] * 1e3:.2f} ms, 50 clients",
    )


async def _claim_time_s(folder: Path, waiting: int) -> float:
    database = Database(folder / "jobs.sqlite3")
    with contextlib.closing(database):
        queue = SqliteJobQueue(database)
        limits = QueueLimits(2 * waiting, waiting)
        for number in range(waiting):
            job = NewJob(NAME, bytes(2000), "digest", None, None, peer=f"client {number % 50}")
            await queue.accept(job, limits)
        samples = []
        for _ in range(CLAIMS):
            began = time.perf_counter()
            await queue.claim(NAME, "bench", 30)
            samples.append(time.perf_counter() - began)
        return percentile(samples, 50)


@contextmanager
def empty_server(job_s: float, places: int, queue_limit: int) -> Iterator[tuple[str, int]]:
    """Address and process id of one that does nothing."""
    script = Path(__file__).parent / "empty_server.py"
    with tempfile.TemporaryDirectory() as folder:
        arguments = [folder, str(job_s), str(places), str(queue_limit)]
        with subprocess.Popen(
            [sys.executable, script, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            yield process.stdout.readline().strip(), process.pid
            process.stdin.close()


async def _load(address: str, pid: int, clients: int, duration_s: float) -> Load:
    load = Load()
    async with contextlib.AsyncExitStack() as stack:
        channels = [
            await stack.enter_async_context(grpc.aio.insecure_channel(address, OWN_CONNECTION))
            for _ in range(-(-clients // CLIENTS_OF_A_CHANNEL))
        ]
        attempts = [await new_attempt(channels[number % len(channels)]) for number in range(clients)]
        began = time.perf_counter()
        tasks = [
            asyncio.create_task(_client(channels[number % len(channels)], attempt, load))
            for number, attempt in enumerate(attempts)
        ]
        await asyncio.sleep(duration_s)
        load.elapsed_s = time.perf_counter() - began
        load.resident_bytes = resident_bytes(pid)
        for task in tasks:
            task.cancel()
        for result in await asyncio.gather(*tasks, return_exceptions=True):
            if isinstance(result, Exception):
                raise result
    return load


async def new_attempt(channel: grpc.aio.Channel) -> str:
    """The id of one that was just begun."""
    stub: Any = attempt_pb2_grpc.AttemptServiceStub(channel)
    asked = attempt_pb2.CreateAttemptRequest(environment=NAME)
    attempt_id: str = (await stub.CreateAttempt(asked)).attempt.attempt_id
    return attempt_id


async def _client(channel: grpc.aio.Channel, attempt_id: str, load: Load) -> None:
    stub: Any = scoring_pb2_grpc.ScoringServiceStub(channel)
    request = rust_codecontests_pb2.ScoreRustCodecontestsRequest(
        context=result_pb2.RequestContext(attempt_id=attempt_id)
    )
    while True:
        began = time.perf_counter()
        try:
            await stub.ScoreRustCodecontests(request)
        except grpc.aio.AioRpcError as error:
            if error.code() is not grpc.StatusCode.RESOURCE_EXHAUSTED:
                raise
            load.refused += 1
            pushback = dict(error.trailing_metadata() or ())["grpc-retry-pushback-ms"]
            await asyncio.sleep(int(pushback) / 1e3 * random.uniform(1, 1.1))
        else:
            load.latencies_s.append(time.perf_counter() - began)
