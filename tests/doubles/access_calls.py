"""Calls with tokens, of any RPC: the answer, or how it was refused."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import grpc.aio
from google.protobuf.message import Message
from rich_status import Rich, rich


@dataclass(frozen=True)
class Answer:
    """How a call went."""

    code: grpc.StatusCode
    first: bytes
    """The first message of the answer; empty where there was none."""
    refusal: Rich | None

    @property
    def reason(self) -> str:
        return self.refusal.reason if self.refusal else ""


def bearer(token: str | None, **more: str) -> tuple[tuple[str, str], ...]:
    """Metadata with a token, and more of it."""
    metadata = {name.replace("_", "-"): value for name, value in more.items()}
    if token is not None:
        metadata["authorization"] = f"Bearer {token}"
    return tuple(metadata.items())


async def call(
    channel: grpc.aio.Channel,
    method: str,
    requests: Iterable[Message] | Message,
    metadata: tuple[tuple[str, str], ...] = (),
) -> Answer:
    """Call a method, up to the first message of its answer. Whether one message comes or many is the same on
    the wire, and so are the many messages of a request and one."""
    make: Any
    try:
        if not isinstance(requests, Message):
            make = channel.stream_unary(method)
            made = make(iter([message.SerializeToString() for message in requests]), metadata=metadata)
            return Answer(grpc.StatusCode.OK, await made, None)
        make = channel.unary_stream(method)
        made = make(requests.SerializeToString(), metadata=metadata)
        first = await made.read()
        return Answer(await made.code(), b"", None) if first is grpc.aio.EOF else _ok(first)
    except grpc.aio.AioRpcError as error:
        found = rich(error)
        return Answer(found.code, b"", found)
    finally:
        made.cancel()


def _ok(first: bytes) -> Answer:
    return Answer(grpc.StatusCode.OK, first, None)
