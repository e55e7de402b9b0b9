"""Spans of RPCs, which continue the trace of the caller where it sends one."""

import asyncio
from typing import Any

import grpc
from opentelemetry import context as otel_context
from opentelemetry import trace
from opentelemetry.semconv._incubating.attributes.rpc_attributes import (
    RPC_METHOD,
    RPC_RESPONSE_STATUS_CODE,
    RPC_SYSTEM_NAME,
)
from opentelemetry.semconv.attributes.error_attributes import ERROR_TYPE
from opentelemetry.trace import SpanKind, StatusCode
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from scorer_service.api.interceptors.around import Around, AroundInterceptor, Context
from scorer_service.tracing.spans import Spans, ids

NOT_TRACED = ("/grpc.health.", "/grpc.reflection.")
"""Probes come every few seconds, and say nothing of any job."""

_SERVER_FAILED = frozenset(
    {"UNKNOWN", "DEADLINE_EXCEEDED", "UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE", "DATA_LOSS"}
)
"""Codes that are errors of a server, by OpenTelemetry's conventions for gRPC; the others are the caller's."""

# W3C traceparent and tracestate. Baggage is not read: it is free text of whoever calls.
_PROPAGATOR = TraceContextTextMapPropagator()


class TraceInterceptor(AroundInterceptor):
    """One span a call."""

    def __init__(self, spans: Spans) -> None:
        self._spans = spans

    def around(self, method: str, kind: str, context: Context) -> Around:
        """Trace one call. Only methods that exist come here, so names stay few."""
        if method.startswith(NOT_TRACED):
            return Around()
        return _TraceCall(self._spans, method.removeprefix("/"), context)


class _TraceCall(Around):
    def __init__(self, spans: Spans, method: str, context: Context) -> None:
        self._spans = spans
        self._method = method
        self._context = context

    async def __aenter__(self) -> "_TraceCall":
        carrier = {
            name: value
            for name, value in self._context.invocation_metadata() or ()
            if isinstance(value, str) and name in _PROPAGATOR.fields
        }
        self._span = self._spans.root(
            self._method,
            {RPC_SYSTEM_NAME: "grpc", RPC_METHOD: self._method},
            parent=_PROPAGATOR.extract(carrier, otel_context.Context()),
            kind=SpanKind.SERVER,
        )
        # Never detached: it holds for this call's task, and a stream that is broken off may end in another.
        otel_context.attach(trace.set_span_in_context(self._span))
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: Any) -> None:
        code = self._code(error)
        self._span.set_attributes({**ids(), RPC_RESPONSE_STATUS_CODE: code})
        if code in _SERVER_FAILED:
            self._span.set_attribute(ERROR_TYPE, code)
            self._span.set_status(StatusCode.ERROR)
        self._span.end()

    def _code(self, error: BaseException | None) -> str:
        if isinstance(error, asyncio.CancelledError | GeneratorExit):
            remaining = self._context.time_remaining()
            return "DEADLINE_EXCEEDED" if remaining is not None and remaining <= 0 else "CANCELLED"
        code: Any = self._context.code()
        if not code:
            return "OK" if error is None else "UNKNOWN"
        return _NAMES.get(code, "UNKNOWN")


# grpc.aio tells some codes as members, and some as numbers.
_NAMES: dict[Any, str] = {code: code.name for code in grpc.StatusCode}
_NAMES |= {code.value[0]: code.name for code in grpc.StatusCode}
