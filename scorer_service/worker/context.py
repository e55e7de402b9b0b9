"""What an operation of the worker is given beside its arguments."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from scorer_service.worker.device import Device


class Context:
    """The worker's device and sessions, and the way to tell how far a call is."""

    def __init__(
        self, device: "Device", sessions: dict[str, Any], report: Callable[[int, int, str], None]
    ) -> None:
        self.device = device
        self.sessions = sessions
        """Of all operations, by an id that the server chose."""
        self.report = report
        """`report(done, total, unit)`; thread-safe."""
