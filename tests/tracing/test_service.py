"""Traces of a real server, as a collector gets them."""

import socket
import threading
import uuid
from collections.abc import Iterator
from pathlib import Path

import grpc
import pytest
from collector import Collector, attributes_of
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status
from scorer.v1 import rust_codecontests_pb2 as messages
from scorer.v1 import scoring_pb2_grpc
from scorer_client import JobState
from server_process import ECHO, SLOW_ECHO, ServerProcess, wait_for_job, write_problem_set

TRACE, CALLER = uuid.uuid4().hex, uuid.uuid4().hex[:16]
TRACEPARENT = f"00-{TRACE}-{CALLER}-01"
SECRET = "a word of the submission"
SCORE = "scorer.v1.ScoringService/ScoreRustCodecontests"


@pytest.fixture
def problems(tmp_path: Path) -> Path:
    return write_problem_set(tmp_path / "problems.jsonl", {"echo": {}})


@pytest.fixture
def collector() -> Iterator[Collector]:
    with Collector() as running:
        yield running


def traced(tmp_path: Path, problems: Path, endpoint: str) -> ServerProcess:
    return ServerProcess(
        tmp_path / "server",
        "--problem-set",
        str(problems),
        "--trace-endpoint",
        endpoint,
        "--log-format",
        "json",
    )


def submission(source: str, request_id: str = "") -> messages.ScoreRustCodecontestsRequest:
    request = messages.ScoreRustCodecontestsRequest()
    request.context.request_id = request_id
    request.programs.add(problem_id="echo").source.inline = source
    return request


def score(server: ServerProcess, request: messages.ScoreRustCodecontestsRequest) -> str:
    """Score within the caller's trace; the id of the job."""
    metadata = (("traceparent", TRACEPARENT), ("baggage", f"note={SECRET}"))
    with grpc.insecure_channel(server.address) as channel:
        stub = scoring_pb2_grpc.ScoringServiceStub(channel)
        return str(stub.ScoreRustCodecontests(request, metadata=metadata).result.job_id)


def test_one_scoring_is_one_tree_below_its_caller(
    tmp_path: Path, problems: Path, collector: Collector
) -> None:
    server = traced(tmp_path, problems, collector.endpoint).start()
    job_id = score(server, submission(f"// {SECRET}\n{ECHO.replace('{}', '{} ', 1)}"))
    assert server.stop() == 0  # which sends what is left
    assert collector.tree(TRACE) == [
        SCORE,
        "  accept",
        "    wait in queue",
        "    delivery",
        "      wait for lane judge",
        "      stage judge",
        "        sandbox start",
        "        sandbox run",  # the compiler
        "        sandbox start",
        "        sandbox tests",  # public
        "        sandbox tests",  # hidden
    ]
    (call,) = collector.named(SCORE)
    assert (call.parent_span_id.hex(), call.kind) == (CALLER, Span.SPAN_KIND_SERVER)
    about = attributes_of(call.attributes)
    assert about["rpc.system.name"] == "grpc"
    assert (about["rpc.method"], about["rpc.response.status_code"]) == (SCORE, "OK")
    of_trace = collector.of_trace(TRACE)
    assert {attributes_of(span.attributes)["scorer.job.id"] for span in of_trace} == {job_id}
    (delivery,) = collector.named("delivery")
    about = attributes_of(delivery.attributes)
    assert (about["scorer.verdict"], about["scorer.delivery.number"]) == ("scored", 1)
    assert about["scorer.job.end"] == "judged"
    compiler = attributes_of(collector.named("sandbox run")[0].attributes)
    assert (compiler["scorer.sandbox.termination"], compiler["process.exit.code"]) == ("exited", 0)
    public, hidden = sorted(collector.named("sandbox tests"), key=lambda span: span.start_time_unix_nano)
    assert attributes_of(public.attributes)["scorer.sandbox.test_count"] == 1
    assert attributes_of(hidden.attributes)["scorer.sandbox.test_count"] == 20
    assert all(span.status.code == Status.STATUS_CODE_UNSET for span in of_trace)
    assert collector.resource["service.name"] == "scorer-service"
    assert SECRET.encode() not in b"".join(span.SerializeToString() for span in collector.spans)
    judged = [line for line in server.log.read_text().splitlines() if '"judged: scored' in line]
    assert f'"trace_id": "{TRACE}"' in judged[0]


def test_a_delivery_after_a_restart_goes_on_in_the_trace_of_its_job(
    tmp_path: Path, problems: Path, collector: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = traced(tmp_path, problems, collector.endpoint).start()
    request_id = str(uuid.uuid4())
    lost = threading.Thread(target=call_that_is_lost, args=(server, submission(SLOW_ECHO, request_id)))
    lost.start()
    wait_for_job(server, request_id, JobState.RUNNING)
    server.kill()
    lost.join()
    server.start()
    with server.client() as client:
        *_, job = client.watch(request_id)
    assert server.stop() == 0
    deliveries = collector.named("delivery")
    (again,) = [span for span in deliveries if "scorer.verdict" in attributes_of(span.attributes)]
    about = attributes_of(again.attributes)
    assert (about["scorer.job.id"], about["scorer.delivery.number"]) == (job.job_id, 2)
    assert again.trace_id.hex() == TRACE


def call_that_is_lost(server: ServerProcess, request: messages.ScoreRustCodecontestsRequest) -> None:
    with pytest.raises(grpc.RpcError):
        score(server, request)


def test_a_collector_that_hangs_holds_up_neither_jobs_nor_the_stop(tmp_path: Path, problems: Path) -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        server = traced(tmp_path, problems, f"http://127.0.0.1:{silent.getsockname()[1]}").start()
        with server.client() as client:
            assert client.score_rust_codecontests({"echo": ECHO}).solved_count == 1
        assert server.stop() == 0
    text = server.log.read_text()
    assert '"judged: scored' in text
    assert "the last traces were not sent" in text
    assert '"message": "stopped"' in text
    assert '"level": "ERROR"' not in text
