"""Options that several commands have, and the client that they describe."""

import argparse
import math
import os
import uuid
from collections.abc import Callable

from scorer_client._channel import DEFAULT_TARGET
from scorer_client._retry import Retry, RetryPolicy
from scorer_client._sync import ScorerClient

# A person waits in front of it: a server that starts beside it is found, a wrong address is told soon.
_RETRY_POLICY = RetryPolicy(connect_limit_s=2.0)


def connection_options() -> argparse.ArgumentParser:
    """A parent parser with --server and --key, which may stand before the command or after it."""
    parser = argparse.ArgumentParser(add_help=False)
    group = parser.add_argument_group("connection")
    group.add_argument(
        "--server",
        metavar="HOST:PORT",
        default=argparse.SUPPRESS,
        help=f"where the server is (default: environment variable SCORER_SERVER, or {DEFAULT_TARGET})",
    )
    group.add_argument(
        "--key",
        default=argparse.SUPPRESS,
        help="evaluator key of an attempt (better: environment variable SCORER_EVALUATOR_KEY, which no "
        "process list shows)",
    )
    return parser


def json_option(parser: argparse.ArgumentParser, what: str) -> None:
    """Adds --json."""
    parser.add_argument(
        "--json", action="store_true", help=f"print {what} and nothing else on standard output"
    )


def server_of(arguments: argparse.Namespace) -> str:
    """The target that the command line, the environment or the default names."""
    return str(getattr(arguments, "server", None) or os.environ.get("SCORER_SERVER") or DEFAULT_TARGET)


def evaluator_key_of(arguments: argparse.Namespace) -> str | None:
    """The evaluator key that was given; None for none."""
    return getattr(arguments, "key", None) or os.environ.get("SCORER_EVALUATOR_KEY")


def client_of(arguments: argparse.Namespace, on_retry: Callable[[Retry], None] | None = None) -> ScorerClient:
    """The client of a command."""
    return ScorerClient(
        server_of(arguments),
        evaluator_key=evaluator_key_of(arguments),
        retry_policy=_RETRY_POLICY,
        on_retry=on_retry,
    )


def seconds(text: str) -> float:
    """A positive, finite number."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value > 0):
        raise argparse.ArgumentTypeError(f"{text!r} is not a positive number of seconds")
    return value


def request_id(text: str) -> str:
    """A UUID of version 4 in its canonical form."""
    try:
        value = uuid.UUID(text)
    except ValueError:
        value = None
    if value is None or value.version != 4 or str(value) != text.lower():
        raise argparse.ArgumentTypeError(f"{text!r} is not a UUID of version 4, in 36 characters")
    return str(value)
