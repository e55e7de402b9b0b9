"""Spans that stay in the process."""

from collections.abc import Iterator

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from scorer_service.tracing.spans import Spans


@pytest.fixture
def ended() -> InMemorySpanExporter:
    """The spans that have ended."""
    return InMemorySpanExporter()


@pytest.fixture
def spans(ended: InMemorySpanExporter) -> Iterator[Spans]:
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(ended))
    yield Spans(provider.get_tracer("test"))
    provider.shutdown()
