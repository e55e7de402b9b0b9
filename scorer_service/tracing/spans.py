"""Begins and ends spans. What they say of a job is what lines of the log say of it; never a payload."""

import asyncio
import contextlib
from collections.abc import Iterator, Mapping
from typing import TypeAlias

from opentelemetry import context as otel_context
from opentelemetry import trace
from opentelemetry.semconv.attributes.error_attributes import ERROR_TYPE
from opentelemetry.trace import Span, SpanKind, StatusCode, Tracer

from scorer_service.logs import context as log_context

Attributes: TypeAlias = Mapping[str, str | int | float]

# Names of our own, where the semantic conventions have none.
JOB_ID = "scorer.job.id"
ATTEMPT_ID = "scorer.attempt.id"
ENVIRONMENT = "scorer.environment"

_ATTRIBUTES = {
    log_context.JOB: JOB_ID,
    log_context.ATTEMPT: ATTEMPT_ID,
    log_context.ENVIRONMENT: ENVIRONMENT,
}


class Spans:
    """Makes the spans of one server. May be used from any thread."""

    def __init__(self, tracer: Tracer) -> None:
        self._tracer = tracer

    @contextlib.contextmanager
    def around(
        self,
        name: str,
        attributes: Attributes,
        *,
        parent: otel_context.Context | None = None,
        kind: SpanKind = SpanKind.INTERNAL,
    ) -> Iterator[Span]:
        """A span of what is inside; spans begun in there are its children. `parent`: not the one here."""
        with self._tracer.start_as_current_span(
            name,
            context=parent,
            kind=kind,
            attributes={**ids(), **attributes},
            # Messages of exceptions may quote what was submitted.
            record_exception=False,
            set_status_on_exception=False,
        ) as span:
            try:
                yield span
            except BaseException as error:
                failed(span, error)
                raise

    @contextlib.contextmanager
    def within(self, name: str, attributes: Attributes) -> Iterator[Span]:
        """A span of a part of something. Without a span here, as at the server's own start, there is none."""
        if not here():
            yield trace.INVALID_SPAN
            return
        with self.around(name, attributes) as span:
            yield span

    def root(
        self, name: str, attributes: Attributes, *, parent: otel_context.Context, kind: SpanKind
    ) -> Span:
        """A span that the caller makes current and ends; its parent, if any, is outside of this process."""
        return self._tracer.start_span(name, context=parent, kind=kind, attributes=attributes)

    def begin(self, name: str, attributes: Attributes) -> Span:
        """A span of a part of something that the caller ends, anywhere; nothing becomes a child of it."""
        if not here():
            return trace.INVALID_SPAN
        return self._tracer.start_span(name, attributes={**ids(), **attributes})

    @contextlib.contextmanager
    def ending(self, span: Span) -> Iterator[None]:
        """End a span that was begun, with how what is inside ended."""
        try:
            yield
        except BaseException as error:
            failed(span, error)
            raise
        finally:
            span.end()

    def past(
        self, name: str, began_at: float, attributes: Attributes, *, parent: otel_context.Context
    ) -> None:
        """A span from some time, in seconds since the epoch, until now."""
        span = self._tracer.start_span(
            name, context=parent, start_time=int(began_at * 1e9), attributes={**ids(), **attributes}
        )
        span.end()


def here() -> bool:
    """Whether there is a span around what runs here."""
    return trace.get_current_span().get_span_context().is_valid


def ids() -> Attributes:
    """Attributes that say what this task is about."""
    known = log_context.current()
    return {_ATTRIBUTES[name]: value for name, value in known.items() if name in _ATTRIBUTES}


def failed(span: Span, error: BaseException) -> None:
    """Say by which exception something ended. What was called off did not fail."""
    span.set_attribute(ERROR_TYPE, type(error).__qualname__)
    if not isinstance(error, asyncio.CancelledError | GeneratorExit):
        span.set_status(StatusCode.ERROR)
