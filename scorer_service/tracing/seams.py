"""Where traces are made: what goes through here is as it was, unless there is somewhere to send traces to."""

from collections.abc import Callable, Sequence
from pathlib import Path

import grpc.aio

from scorer_service.environments.interface import Environment
from scorer_service.sandbox.interface import SandboxBackend
from scorer_service.scheduling.delivery import Delivery
from scorer_service.scheduling.lane import Lane
from scorer_service.store.interface import JobQueue
from scorer_service.worker.client import Worker
from scorer_service.worker.device_access import MakeGate


class Seams:
    """No traces: every method answers with what it was given."""

    interceptors: Sequence[grpc.aio.ServerInterceptor] = ()
    """Those that go round all others."""
    make_delivery: Callable[..., Delivery] = Delivery

    def queue(self, queue: JobQueue) -> JobQueue:
        """The queue, which keeps with each job whose it is."""
        return queue

    def environment(self, environment: Environment) -> Environment:
        """An environment, by its stages."""
        return environment

    def backend(self, backend: SandboxBackend) -> SandboxBackend:
        """What makes sandboxes."""
        return backend

    def make_lane(self, make: Callable[[str, int], Lane]) -> Callable[[str, int], Lane]:
        """What makes lanes."""
        return make

    def make_worker(self, make: Callable[[Path, str], Worker]) -> Callable[[Path, str], Worker]:
        """What makes workers."""
        return make

    def make_gate(self, make: MakeGate) -> MakeGate:
        """What makes the gate of a device."""
        return make

    def close(self) -> None:
        """Send what is left, within a bound. Blocks. Idempotent."""
