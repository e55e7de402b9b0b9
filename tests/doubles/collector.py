"""A collector of traces: takes spans as OTLP over gRPC, as the one of OpenTelemetry does."""

from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import Any

import grpc
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2, trace_service_pb2_grpc
from opentelemetry.proto.common.v1.common_pb2 import KeyValue
from opentelemetry.proto.trace.v1.trace_pb2 import Span


class Collector(trace_service_pb2_grpc.TraceServiceServicer):
    """Keeps every span. A context manager."""

    def __init__(self) -> None:
        self.spans: list[Span] = []
        self.resource: dict[str, Any] = {}
        self._server = grpc.server(ThreadPoolExecutor(2))
        add_servicer: Any = trace_service_pb2_grpc.add_TraceServiceServicer_to_server
        add_servicer(self, self._server)
        self.endpoint = f"http://127.0.0.1:{self._server.add_insecure_port('127.0.0.1:0')}"

    def Export(  # noqa: N802 - the name of the contract
        self, request: trace_service_pb2.ExportTraceServiceRequest, context: grpc.ServicerContext
    ) -> trace_service_pb2.ExportTraceServiceResponse:
        for group in request.resource_spans:
            self.resource = attributes_of(group.resource.attributes)
            for scope in group.scope_spans:
                self.spans.extend(scope.spans)
        return trace_service_pb2.ExportTraceServiceResponse()

    def __enter__(self) -> "Collector":
        self._server.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None
    ) -> None:
        self._server.stop(None).wait()

    def tree(self, trace_id: str) -> list[str]:
        """Names of the spans of one trace, each indented below its parent, in the order of their begins."""
        spans = sorted(self.of_trace(trace_id), key=lambda span: span.start_time_unix_nano)
        known = {span.span_id for span in spans}

        def below(parent: bytes | None, depth: int) -> list[str]:
            lines = []
            for span in spans:
                is_here = (
                    span.parent_span_id not in known if parent is None else span.parent_span_id == parent
                )
                if is_here:
                    lines += ["  " * depth + span.name, *below(span.span_id, depth + 1)]
            return lines

        return below(None, 0)

    def of_trace(self, trace_id: str) -> list[Span]:
        return [span for span in self.spans if span.trace_id.hex() == trace_id]

    def named(self, name: str) -> list[Span]:
        return [span for span in self.spans if span.name == name]


def attributes_of(pairs: Any) -> dict[str, Any]:
    return {pair.key: _value(pair) for pair in pairs}


def _value(pair: KeyValue) -> Any:
    return getattr(pair.value, pair.value.WhichOneof("value") or "string_value")
