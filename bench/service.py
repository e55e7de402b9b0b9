"""A real server, end to end: starting, judging the whole embedded set, answering from the store."""

import json
import os
import tempfile
import time
import urllib.request
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grpc
from measurement import Measurement, percentile
from running_server import RunningServer, resident_bytes, running_server
from scorer.v1 import result_pb2, rust_codecontests_pb2, scoring_pb2_grpc
from scorer_client import ScorerClient

import scorer_service.environments.rust_codecontests

ENVIRONMENT = Path(scorer_service.environments.rust_codecontests.__path__[0])
STORED_CALLS = 300
SCRAPES = 50


def measure() -> Iterator[Measurement]:
    """Everything that needs a server."""
    with tempfile.TemporaryDirectory() as folder, running_server(Path(folder), "rust_codecontests") as server:
        yield Measurement(
            "time from start to SERVING", server.start_s, 3.0, unit="s", detail="a new state folder"
        )
        resident_mb = resident_bytes(server.pid) / 1e6
        yield Measurement("resident memory of the idle server", resident_mb, 150.0, unit="MB")
        yield from _whole_set(server)
        yield _stored_call(server)
        yield _scrape(server)


def _whole_set(server: RunningServer) -> Iterator[Measurement]:
    """The reference submission on a server that has compiled nothing yet."""
    rows = [json.loads(line) for line in (ENVIRONMENT / "problem_set" / "reference_submission.jsonl").open()]
    programs = {row["problem_id"]: row["source"] for row in rows}
    with ScorerClient(server.address) as client:
        created = client.create_attempt("rust_codecontests")
    with ScorerClient(server.address, evaluator_key=created.evaluator_key) as client:
        began = time.perf_counter()
        result = client.score_rust_codecontests(programs, attempt_id=created.attempt.attempt_id)
        elapsed = time.perf_counter() - began
        assert result.solved_count == len(programs), result.summary
        (entry,) = client.list_scores(created.attempt.attempt_id)
    problems: list[dict[str, Any]] = json.loads(entry.evaluator_details_json or "{}")["problems"]
    compiles = sum(not problem["compile_cached"] for problem in problems)
    yield Measurement(
        "compiles for each problem judged",
        compiles / len(problems),
        1.0,
        detail=f"{compiles} compiles, {len(problems)} problems",
    )
    cores = len(os.sched_getaffinity(0))
    cpu = sum(problem["compile_cpu_s"] + problem["cpu_s"] for problem in problems)
    yield Measurement(
        "judging the embedded set / (CPU time of its programs / cores)",
        elapsed / (cpu / cores),
        1.25,
        detail=f"{elapsed:.1f} s, {cpu:.1f} s of CPU time in compilers and programs on {cores} cores",
    )


def _stored_call(server: RunningServer) -> Measurement:
    """The same request id again: the answer comes from the store."""
    request = rust_codecontests_pb2.ScoreRustCodecontestsRequest(
        context=result_pb2.RequestContext(request_id=str(uuid.uuid4())),
        programs=[
            rust_codecontests_pb2.RustProgram(
                problem_id=_a_problem(server), source=result_pb2.SourceFile(inline="fn main() {}")
            )
        ],
    )
    with grpc.insecure_channel(server.address) as channel:
        stub = scoring_pb2_grpc.ScoringServiceStub(channel)
        stub.ScoreRustCodecontests(request)
        samples = []
        for _ in range(STORED_CALLS):
            began = time.perf_counter()
            stub.ScoreRustCodecontests(request)
            samples.append((time.perf_counter() - began) * 1e3)
    return Measurement(
        "call answered from the store, p50",
        percentile(samples, 50),
        5.0,
        unit="ms",
        detail=f"p99 {percentile(samples, 99):.1f} ms, {STORED_CALLS} calls",
    )


def _scrape(server: RunningServer) -> Measurement:
    """Metrics of a server that has judged."""
    samples = []
    for _ in range(SCRAPES):
        began = time.perf_counter()
        with urllib.request.urlopen(f"http://{server.metrics}/metrics") as response:
            size = len(response.read())
        samples.append((time.perf_counter() - began) * 1e3)
    return Measurement(
        "scrape of the metrics, p50",
        percentile(samples, 50),
        20.0,
        unit="ms",
        detail=f"p99 {percentile(samples, 99):.1f} ms, {size / 1e3:.0f} kB",
    )


def _a_problem(server: RunningServer) -> str:
    line = (ENVIRONMENT / "problem_set" / "reference_submission.jsonl").open().readline()
    problem_id: str = json.loads(line)["problem_id"]
    return problem_id
