"""Turns traces on where an endpoint is set and the packages for them are installed."""

from scorer_service.configuration import ConfigurationError
from scorer_service.tracing.seams import Seams


def open_tracing(endpoint: str) -> Seams:
    """The seams with traces sent to `endpoint`, by OTLP over gRPC; without one, the bare seams.

    Raises ConfigurationError where the extra is not installed.
    """
    if not endpoint:
        return Seams()
    try:
        from scorer_service.tracing.traced import TracedSeams
    except ImportError as error:
        raise ConfigurationError(
            f"trace_endpoint is set, and what makes traces is not installed (no module {error.name}): "
            "`pip install 'scorer-service[traces]'`, or leave trace_endpoint empty"
        ) from None
    return TracedSeams(endpoint)
