"""Sends spans to a collector, from a thread of its own: nothing waits for it, and too many are dropped."""

import logging
import os
import socket
import threading

from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.semconv._incubating.attributes.service_attributes import SERVICE_INSTANCE_ID
from opentelemetry.semconv.attributes.service_attributes import SERVICE_NAME, SERVICE_VERSION

import scorer_service

log = logging.getLogger(__name__)

FLUSH_LIMIT_S = 3.0
"""For what is left when the server stops. A collector that hangs holds it up no longer."""


class Export:
    """One tracer, and the way of its spans.

    The sampler is the SDK's default: whoever calls with a trace says whether it is kept, and other traces are
    kept. OTEL_TRACES_SAMPLER changes it, as OTEL_BSP_* changes the batches and OTEL_EXPORTER_OTLP_* headers,
    certificates and time limits: these are the operator's, and known.
    """

    def __init__(self, endpoint: str) -> None:
        self._endpoint = endpoint
        resource = Resource.create(
            {
                SERVICE_NAME: "scorer-service",
                SERVICE_VERSION: scorer_service.__version__,
                SERVICE_INSTANCE_ID: f"{socket.gethostname()}:{os.getpid()}",
            }
        )
        self._provider = TracerProvider(resource=resource, shutdown_on_exit=False)
        self._provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(endpoint=endpoint)))
        self.tracer = self._provider.get_tracer("scorer_service", scorer_service.__version__)

    def close(self) -> None:
        """Send what is left. Blocks for FLUSH_LIMIT_S at most."""
        thread = threading.Thread(target=self._provider.shutdown, name="last traces", daemon=True)
        thread.start()
        thread.join(FLUSH_LIMIT_S)
        if thread.is_alive():
            log.warning(
                "the last traces were not sent: %s took none for %.0f s", self._endpoint, FLUSH_LIMIT_S
            )
