"""How a call to a worker fails. Each is a failure of the service, never of a submission."""


class WorkerUnavailable(Exception):
    """No worker can be started; the message says what is missing and how to get it."""


class WorkerLost(Exception):
    """The worker ended during the call. The next call is served by a new one, which knows no sessions."""


class OperationFailed(Exception):
    """The operation raised an error; the message is that error's."""

    def __init__(self, message: str = "", traceback: str = "") -> None:
        super().__init__(message)
        self.traceback = traceback
        """Of the error, in the worker."""
