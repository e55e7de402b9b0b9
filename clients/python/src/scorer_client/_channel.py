"""The connection, and its options, the same for both colours."""

from importlib.metadata import PackageNotFoundError, version

import grpc

from scorer_client._access import channel_options

DEFAULT_TARGET = "127.0.0.1:50051"


def client_version() -> str:
    """The version of this distribution; `unknown` where it runs from a bare source tree."""
    try:
        return version("scorer-client")
    except PackageNotFoundError:
        return "unknown"


CHANNEL_OPTIONS: tuple[tuple[str, int | str], ...] = (
    # A call waits in a queue for minutes with no data on the wire; NAT gateways and load balancers drop such
    # connections, silently. The server accepts a ping every 10 s.
    ("grpc.keepalive_time_ms", 10_000),
    ("grpc.keepalive_timeout_ms", 20_000),
    # The same limit for the ping itself, which is a minute otherwise and wins over the one above.
    ("grpc.http2.ping_timeout_ms", 20_000),
    ("grpc.http2.max_pings_without_data", 0),
    # A restarted server is found soon, and not after gRPC's own two minutes.
    ("grpc.initial_reconnect_backoff_ms", 200),
    ("grpc.min_reconnect_backoff_ms", 200),
    ("grpc.max_reconnect_backoff_ms", 5_000),
    # Without it all channels of a process share a connection, and one that backs off stops the others.
    ("grpc.use_local_subchannel_pool", 1),
    # Compiler messages and failed tests of some hundred programs pass gRPC's 4 MiB.
    ("grpc.max_receive_message_length", 64 * 1024 * 1024),
    ("grpc.primary_user_agent", f"scorer-client/{client_version()}"),
)


def open_channel(target: str, credentials: grpc.ChannelCredentials | None) -> grpc.Channel:
    """A synchronous channel; plaintext without credentials."""
    options = channel_options(target, CHANNEL_OPTIONS)
    if credentials is None:
        return grpc.insecure_channel(target, options)
    return grpc.secure_channel(target, credentials, options)
