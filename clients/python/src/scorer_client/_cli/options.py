"""Options that several commands have, and the client that they describe."""

import argparse
import contextlib
import math
import os
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import grpc

from scorer_client._access import call_metadata, tls_credentials
from scorer_client._channel import DEFAULT_TARGET, open_channel
from scorer_client._cli.exit_status import UsageError
from scorer_client._retry import Retry, RetryPolicy
from scorer_client._sync import ScorerClient

# A person waits in front of it: a server that starts beside it is found, a wrong address is told soon.
_RETRY_POLICY = RetryPolicy(connect_limit_s=2.0)
TOKEN_FILE_LIMIT_BYTES = 4096


def connection_options() -> argparse.ArgumentParser:
    """A parent parser with what the connection needs, which may stand before the command or after it."""
    parser = argparse.ArgumentParser(add_help=False)
    group = parser.add_argument_group("connection")
    group.add_argument(
        "--server",
        metavar="HOST:PORT",
        default=argparse.SUPPRESS,
        help=f"where the server is (default: environment variable SCORER_SERVER, or {DEFAULT_TARGET})",
    )
    group.add_argument(
        "--ca",
        metavar="FILE",
        default=argparse.SUPPRESS,
        help="speak TLS, and trust the authorities in this PEM file (SCORER_CA)",
    )
    group.add_argument(
        "--tls",
        action="store_true",
        default=argparse.SUPPRESS,
        help="speak TLS, and trust the authorities that gRPC ships (SCORER_TLS=1)",
    )
    group.add_argument(
        "--certificate",
        metavar="FILE",
        default=argparse.SUPPRESS,
        help="PEM file of the client's certificate, for a server that asks for one (SCORER_CERTIFICATE)",
    )
    group.add_argument(
        "--certificate-key",
        metavar="FILE",
        default=argparse.SUPPRESS,
        help="PEM file of its private key (SCORER_CERTIFICATE_KEY)",
    )
    group.add_argument(
        "--token",
        default=argparse.SUPPRESS,
        help="access token (better: SCORER_TOKEN or --token-file, which no process list shows)",
    )
    group.add_argument(
        "--token-file",
        metavar="FILE",
        default=argparse.SUPPRESS,
        help="file with the access token and nothing else (SCORER_TOKEN_FILE)",
    )
    group.add_argument(
        "--allow-plaintext",
        action="store_true",
        default=argparse.SUPPRESS,
        help="send token and key without TLS also to another machine",
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


def token_of(arguments: argparse.Namespace) -> str | None:
    """The access token that was given; None for none. Raises OSError, UsageError for a file without one."""
    if given := getattr(arguments, "token", None):
        return str(given)
    file = getattr(arguments, "token_file", None)
    if not file:
        if given := os.environ.get("SCORER_TOKEN"):
            return given
        file = os.environ.get("SCORER_TOKEN_FILE")
    if not file:
        return None
    # No more than a token can have: the name may be that of any file.
    with Path(file).open("rb") as opened:
        token = opened.read(TOKEN_FILE_LIMIT_BYTES).decode(errors="replace").strip()
    if not token or len(token.split()) > 1 or not token.isascii():
        raise UsageError(f"{file} must hold the access token and nothing else")
    return token


def credentials_of(arguments: argparse.Namespace) -> grpc.ChannelCredentials | None:
    """What TLS needs; None for plaintext. Raises OSError, InvalidRequest."""
    files = {
        name: getattr(arguments, name, None) or os.environ.get(f"SCORER_{name.upper()}") or None
        for name in ("ca", "certificate", "certificate_key")
    }
    wanted = getattr(arguments, "tls", False) or os.environ.get("SCORER_TLS") == "1"
    return tls_credentials(**files) if wanted or any(files.values()) else None


def evaluator_key_of(arguments: argparse.Namespace) -> str | None:
    """The evaluator key that was given; None for none."""
    return getattr(arguments, "key", None) or os.environ.get("SCORER_EVALUATOR_KEY")


def client_of(arguments: argparse.Namespace, on_retry: Callable[[Retry], None] | None = None) -> ScorerClient:
    """The client of a command."""
    return ScorerClient(
        server_of(arguments),
        credentials=credentials_of(arguments),
        token=token_of(arguments),
        allow_plaintext=getattr(arguments, "allow_plaintext", False),
        evaluator_key=evaluator_key_of(arguments),
        retry_policy=_RETRY_POLICY,
        on_retry=on_retry,
    )


@dataclass(frozen=True)
class Connection:
    """What calls are made on that this client has no methods for."""

    target: str
    channel: grpc.Channel
    metadata: tuple[tuple[str, str], ...]
    """To be sent with every call."""


@contextlib.contextmanager
def connected(arguments: argparse.Namespace) -> Iterator[Connection]:
    """The connection that the options describe, closed in the end.

    Raises OSError, UsageError, InvalidRequest.
    """
    target, credentials = server_of(arguments), credentials_of(arguments)
    metadata = call_metadata(
        target,
        is_secure=credentials is not None,
        token=token_of(arguments),
        evaluator_key=evaluator_key_of(arguments),
        allow_plaintext=getattr(arguments, "allow_plaintext", False),
    )
    with open_channel(target, credentials) as channel:
        yield Connection(target, channel, metadata)


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
