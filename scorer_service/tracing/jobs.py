"""Spans of jobs: their acceptance, their wait in the queue, each delivery. All of a job are in one trace."""

import dataclasses
import re
from collections.abc import Mapping
from typing import Any

from opentelemetry import context as otel_context
from opentelemetry import trace
from opentelemetry.trace import SpanKind, StatusCode
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from scorer_service.environments.interface import Environment
from scorer_service.scheduling.delivery import Delivery, DeliveryTools
from scorer_service.store.interface import JobQueue, JobRecord, JobState, JudgedResult, Lease, NewJob
from scorer_service.tracing.forwarding import Forwarding
from scorer_service.tracing.spans import ATTEMPT_ID, ENVIRONMENT, JOB_ID, Attributes, Spans

DELIVERY_NUMBER = "scorer.delivery.number"
JOB_END = "scorer.job.end"
"""How a delivery ended: judged, failed, requeued, by a death of the worker, or dropped for a void lease."""
VERDICT = "scorer.verdict"

_PROPAGATOR = TraceContextTextMapPropagator()
_TRACEPARENT = "traceparent"

# The trace of a job must outlive the server, so it is kept with the job, as a field of the stored request
# that the contract does not have. Serialised messages may be joined, and who reads them skips fields that it
# does not know, also a server without traces.
_LENGTH = 55
"""Of every traceparent of version 00 (W3C Trace Context, section 3.2)."""
_HEAD = b"\xfa\xff\xff\xff\x0f" + bytes([_LENGTH])
"""Tag and length: the largest number that a field can have, 2**29 - 1, and the wire type of strings."""
_KEPT = re.compile(re.escape(_HEAD) + rb"(00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2})\Z")


def with_trace(payload: bytes, carrier: Mapping[str, str]) -> bytes:
    """The payload of a job with its trace."""
    traceparent = carrier.get(_TRACEPARENT, "").encode()
    return payload + _HEAD + traceparent if len(traceparent) == _LENGTH else payload


def without_trace(payload: bytes) -> tuple[bytes, dict[str, str]]:
    """The payload as it was submitted, and its trace."""
    match = _KEPT.search(payload, max(0, len(payload) - len(_HEAD) - _LENGTH))
    if match is None:
        return payload, {}
    return payload[: match.start()], {_TRACEPARENT: match[1].decode()}


@dataclasses.dataclass(frozen=True)
class _TracedLease(Lease):
    parent: otel_context.Context = dataclasses.field(default_factory=otel_context.Context)
    """Of what is done for the job."""


class TracedQueue(Forwarding):
    """A `JobQueue` that keeps with each job the trace in which it was accepted."""

    inner: JobQueue

    def __init__(self, queue: JobQueue, spans: Spans) -> None:
        super().__init__(queue)
        self._spans = spans

    async def accept(self, job: NewJob, *arguments: Any, **options: Any) -> tuple[JobRecord, bool]:
        """See `JobQueue.accept`."""
        with self._spans.around("accept", {ENVIRONMENT: job.environment}, kind=SpanKind.PRODUCER) as span:
            carrier: dict[str, str] = {}
            _PROPAGATOR.inject(carrier)
            kept = dataclasses.replace(job, payload=with_trace(job.payload, carrier))
            record, is_new = await self.inner.accept(kept, *arguments, **options)
            span.set_attribute(JOB_ID, record.job_id)
            if record.attempt_id is not None:
                span.set_attribute(ATTEMPT_ID, record.attempt_id)
        return record, is_new

    async def claim(self, *arguments: Any, **options: Any) -> Lease | None:
        """See `JobQueue.claim`."""
        lease = await self.inner.claim(*arguments, **options)
        if lease is None:
            return None
        payload, carrier = without_trace(lease.payload)
        parent = _PROPAGATOR.extract(carrier, otel_context.Context())
        values = {field.name: getattr(lease, field.name) for field in dataclasses.fields(lease)}
        # What came before a later delivery was work that was lost, not a wait.
        if lease.number == 1:
            self._spans.past("wait in queue", lease.accepted_at, _attributes(lease), parent=parent)
        return _TracedLease(**values | {"payload": payload}, parent=parent)

    async def finish(self, lease: Lease, result: JudgedResult) -> bool:
        """See `JobQueue.finish`."""
        stored = await self.inner.finish(lease, result)
        trace.get_current_span().set_attributes(
            {VERDICT: result.verdict.value, JOB_END: "judged" if stored else "dropped"}
        )
        return stored

    async def fail(self, lease: Lease, failure: str) -> bool:
        """See `JobQueue.fail`."""
        stored = await self.inner.fail(lease, failure)
        span = trace.get_current_span()
        span.set_attribute(JOB_END, "failed" if stored else "dropped")
        span.set_status(StatusCode.ERROR)
        return stored

    async def give_back(self, lease: Lease) -> bool:
        """See `JobQueue.give_back`."""
        given_back = await self.inner.give_back(lease)
        trace.get_current_span().set_attribute(JOB_END, "requeued" if given_back else "dropped")
        return given_back

    async def worker_died(self, lease: Lease, **options: Any) -> JobState | None:
        """See `JobQueue.worker_died`."""
        state = await self.inner.worker_died(lease, **options)
        span = trace.get_current_span()
        span.set_attribute(JOB_END, "dropped" if state is None else "worker_died")
        span.set_status(StatusCode.ERROR)
        return state


def make_delivery(spans: Spans, tools: DeliveryTools, environment: Environment, lease: Lease) -> Delivery:
    """A delivery with a span."""
    return _TracedDelivery(spans, tools, environment, lease)


class _TracedDelivery(Delivery):
    def __init__(self, spans: Spans, tools: DeliveryTools, environment: Environment, lease: Lease) -> None:
        super().__init__(tools, environment, lease)
        self._spans = spans
        self._traced_lease = lease

    async def run(self) -> None:
        lease = self._traced_lease
        parent = lease.parent if isinstance(lease, _TracedLease) else None
        attributes = {**_attributes(lease), DELIVERY_NUMBER: lease.number}
        with self._spans.around("delivery", attributes, parent=parent, kind=SpanKind.CONSUMER):
            await super().run()


def _attributes(lease: Lease) -> Attributes:
    ids = {JOB_ID: lease.job_id, ENVIRONMENT: lease.environment}
    return ids | ({ATTEMPT_ID: lease.attempt_id} if lease.attempt_id is not None else {})
