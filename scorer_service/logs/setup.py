"""Sends everything that is logged to standard error, in one format."""

import logging
import sys
import threading
from types import TracebackType

from scorer_service.logs.formats import JsonFormat, TextFormat

SERVICE = "scorer_service"
FORMATS: dict[str, type[logging.Formatter]] = {"text": TextFormat, "json": JsonFormat}

log = logging.getLogger(__name__)


def set_up(level: str, format_name: str) -> None:
    """Once, before anything is logged. `level` holds for the service.

    Libraries are heard from warnings on: what they log below that may be headers of requests and the like,
    and nobody here has looked at it.
    """
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(FORMATS[format_name]())
    logging.basicConfig(level=max(logging.WARNING, _number(level)), handlers=[handler], force=True)
    logging.getLogger(SERVICE).setLevel(_number(level))
    logging.captureWarnings(True)
    sys.excepthook = _log_uncaught
    threading.excepthook = _log_uncaught_in_thread


def _number(level: str) -> int:
    return logging.getLevelNamesMapping()[level.upper()]


def _log_uncaught(kind: type[BaseException], error: BaseException, traceback: TracebackType | None) -> None:
    log.critical("ended by an exception that nobody caught", exc_info=(kind, error, traceback))


def _log_uncaught_in_thread(arguments: threading.ExceptHookArgs) -> None:
    if arguments.exc_value is None or isinstance(arguments.exc_value, SystemExit):
        return
    log.error(
        "a thread (%s) was ended by an exception that nobody caught",
        arguments.thread.name if arguments.thread else "unknown",
        exc_info=(arguments.exc_type, arguments.exc_value, arguments.exc_traceback),
    )
