"""The trace of a job is kept with it, and says how each delivery ended."""

from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode
from scorer.v1 import rust_codecontests_pb2 as messages

from scorer_service.environments.interface import JudgingFailed
from scorer_service.store.interface import JobState
from scorer_service.tracing.jobs import TracedQueue, with_trace, without_trace
from scorer_service.tracing.spans import Spans

TRACEPARENT = f"00-{'a1' * 16}-{'b2' * 8}-01"


@given(st.binary(max_size=200))
def test_a_payload_comes_back_as_it_was(payload: bytes) -> None:
    kept = with_trace(payload, {"traceparent": TRACEPARENT})
    assert without_trace(kept) == (payload, {"traceparent": TRACEPARENT})
    assert with_trace(payload, {}) == payload
    assert without_trace(payload) == (payload, {})


def test_who_knows_of_no_traces_reads_the_same_submission() -> None:
    request = messages.ScoreRustCodecontestsRequest()
    request.programs.add(problem_id="echo").source.inline = "fn main() {}"
    kept = with_trace(request.SerializeToString(), {"traceparent": TRACEPARENT})
    read = messages.ScoreRustCodecontestsRequest.FromString(kept)
    assert read.programs == request.programs


@pytest.mark.parametrize(
    "traceparent", [TRACEPARENT.upper(), TRACEPARENT[:-1] + "\n", "01" + TRACEPARENT[2:]]
)
def test_what_is_no_traceparent_is_part_of_the_payload(traceparent: str) -> None:
    payload = with_trace(b"payload", {"traceparent": traceparent})
    assert without_trace(payload) == (payload, {})


def test_spans_say_which_exception_and_not_its_words(spans: Spans, ended: InMemorySpanExporter) -> None:
    def fail() -> None:
        with spans.around("whole", {}), spans.within("part", {"scorer.stage": "judge"}):
            raise JudgingFailed("words of a submission")

    with pytest.raises(JudgingFailed):
        fail()
    part, whole = ended.get_finished_spans()
    for span in (part, whole):
        assert span.status.status_code is StatusCode.ERROR
        assert dict(span.attributes or {})["error.type"] == "JudgingFailed"
        assert "words" not in span.to_json()
    assert part.parent == whole.context


@pytest.mark.parametrize(("state", "end"), [(JobState.QUEUED, "worker_died"), (None, "dropped")])
async def test_a_delivery_over_which_the_worker_died_says_so(
    spans: Spans, ended: InMemorySpanExporter, state: JobState | None, end: str
) -> None:
    async def worker_died(lease: Any, **options: Any) -> JobState | None:
        return state

    inner: Any = SimpleNamespace(worker_died=worker_died)
    with spans.around("delivery", {}):
        lease: Any = None
        assert await TracedQueue(inner, spans).worker_died(lease, death_limit=2) is state
    (delivery,) = ended.get_finished_spans()
    assert delivery.status.status_code is StatusCode.ERROR
    assert dict(delivery.attributes or {})["scorer.job.end"] == end


def test_what_belongs_to_nothing_makes_no_span(spans: Spans, ended: InMemorySpanExporter) -> None:
    with spans.within("self-test", {}), spans.ending(spans.begin("wait", {})):
        pass
    assert not ended.get_finished_spans()
