"""The seams with traces: each is handed to the decorator that knows it."""

import functools
from collections.abc import Callable
from pathlib import Path
from typing import cast

from scorer_service.environments.interface import Environment
from scorer_service.sandbox.interface import SandboxBackend
from scorer_service.scheduling.lane import Lane
from scorer_service.store.interface import JobQueue
from scorer_service.tracing import device, export, jobs, log_ids, rpc, sandboxes, stages
from scorer_service.tracing.seams import Seams
from scorer_service.tracing.spans import Spans
from scorer_service.worker.client import Worker
from scorer_service.worker.device_access import MakeGate
from scorer_service.worker.gate import DeviceGate


class TracedSeams(Seams):
    """Spans of RPCs, jobs, stages, sandboxes and the device, sent to a collector."""

    def __init__(self, endpoint: str) -> None:
        self._export = export.Export(endpoint)
        self._spans = spans = Spans(self._export.tracer)
        self.interceptors = (rpc.TraceInterceptor(spans),)
        self.make_delivery = functools.partial(jobs.make_delivery, spans)
        log_ids.add_to_log()

    # What is returned has every attribute of what it wraps, which no type checker can see.

    def queue(self, queue: JobQueue) -> JobQueue:
        """See `Seams.queue`."""
        return cast(JobQueue, jobs.TracedQueue(queue, self._spans))

    def environment(self, environment: Environment) -> Environment:
        """See `Seams.environment`."""
        return cast(Environment, stages.TracedEnvironment(environment, self._spans))

    def backend(self, backend: SandboxBackend) -> SandboxBackend:
        """See `Seams.backend`."""
        return cast(SandboxBackend, sandboxes.TracedBackend(backend, self._spans))

    def make_lane(self, make: Callable[[str, int], Lane]) -> Callable[[str, int], Lane]:
        """See `Seams.make_lane`."""
        return lambda name, places: cast(Lane, stages.TracedLane(make(name, places), self._spans))

    def make_worker(self, make: Callable[[Path, str], Worker]) -> Callable[[Path, str], Worker]:
        """See `Seams.make_worker`."""
        return lambda python, name: cast(Worker, device.TracedWorker(make(python, name), self._spans))

    def make_gate(self, make: MakeGate) -> MakeGate:
        """See `Seams.make_gate`."""

        def make_traced(backend: SandboxBackend, *, device_is_cpu: bool) -> DeviceGate:
            gate = make(backend, device_is_cpu=device_is_cpu)
            return cast(DeviceGate, device.TracedGate(gate, self._spans))

        return make_traced

    def close(self) -> None:
        """See `Seams.close`."""
        self._export.close()
