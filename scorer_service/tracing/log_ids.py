"""The id of the trace on each line of the log."""

import logging

from opentelemetry import trace


class TraceIds(logging.Filter):
    """Gives records the attributes trace_id and span_id, in hexadecimal, where there is a span."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Never drops a record."""
        context = trace.get_current_span().get_span_context()
        if context.is_valid:
            record.trace_id = trace.format_trace_id(context.trace_id)
            record.span_id = trace.format_span_id(context.span_id)
        return True


def add_to_log() -> None:
    """From now on, in whatever format has a place for them."""
    for handler in logging.getLogger().handlers:
        handler.addFilter(TraceIds())
