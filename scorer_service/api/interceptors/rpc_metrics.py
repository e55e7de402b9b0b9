"""Counts calls, under the metric names that the gRPC ecosystem's dashboards know."""

import asyncio
import time
from typing import Any

import grpc
from prometheus_client import CollectorRegistry, Counter, Histogram

from scorer_service.api.interceptors.around import Around, AroundInterceptor, Context
from scorer_service.metrics.buckets import DURATION_BUCKETS_S

LABELS = ("grpc_type", "grpc_service", "grpc_method")


class RpcMetricsInterceptor(AroundInterceptor):
    """`grpc_server_*`, as in grpc-ecosystem/go-grpc-middleware."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._started = Counter(
            "grpc_server_started", "Calls begun on the server.", LABELS, registry=registry
        )
        self._handled = Counter(
            "grpc_server_handled", "Calls ended on the server.", (*LABELS, "grpc_code"), registry=registry
        )
        self._received = Counter(
            "grpc_server_msg_received", "Messages received by the server.", LABELS, registry=registry
        )
        self._sent = Counter(
            "grpc_server_msg_sent", "Messages sent by the server.", LABELS, registry=registry
        )
        self._seconds = Histogram(
            "grpc_server_handling_seconds",
            "Time from the begin of a call to its end on the server.",
            LABELS,
            buckets=DURATION_BUCKETS_S,
            registry=registry,
        )

    def around(self, method: str, kind: str, context: Context) -> Around:
        """Count one call. Only methods that exist come here, so labels stay few."""
        _, service, name = method.split("/")
        return _CountCall(self, (kind, service, name), context)


class _CountCall(Around):
    def __init__(
        self, metrics: RpcMetricsInterceptor, labels: tuple[str, str, str], context: Context
    ) -> None:
        self._metrics = metrics
        self._labels = labels
        self._context = context
        self._began = time.monotonic()

    async def __aenter__(self) -> "_CountCall":
        self._metrics._started.labels(*self._labels).inc()
        return self

    def on_request(self, request: Any) -> None:
        self._metrics._received.labels(*self._labels).inc()

    def on_response(self) -> None:
        self._metrics._sent.labels(*self._labels).inc()

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: Any) -> None:
        self._metrics._handled.labels(*self._labels, self._code(error)).inc()
        self._metrics._seconds.labels(*self._labels).observe(time.monotonic() - self._began)

    def _code(self, error: BaseException | None) -> str:
        if isinstance(error, asyncio.CancelledError | GeneratorExit):
            remaining = self._context.time_remaining()
            return "DeadlineExceeded" if remaining is not None and remaining <= 0 else "Canceled"
        code: Any = self._context.code()
        if error is None and not code:
            return "OK"
        return _ECOSYSTEM_NAMES.get(code, "Unknown")


# The label values are those of the Go implementation, which dashboards were written for.
_ECOSYSTEM_NAMES: dict[Any, str] = {
    code: {"OK": "OK", "CANCELLED": "Canceled"}.get(
        code.name, "".join(part.capitalize() for part in code.name.split("_"))
    )
    for code in grpc.StatusCode
}
# grpc.aio tells some codes as numbers.
_ECOSYSTEM_NAMES |= {code.value[0]: name for code, name in _ECOSYSTEM_NAMES.items()}
