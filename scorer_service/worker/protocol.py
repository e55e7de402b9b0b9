"""Messages between server and worker: one JSON object a packet, over a socket pair that keeps packets apart.

Server to worker: `{"id", "operation", "arguments"}`, with descriptors beside it.
Worker to server: first `{"ready": device}` or `{"unavailable": reason}`; then, for a call, any number of
`{"id", "progress": [done, total, unit]}` and one of `{"id", "result"}` and `{"id", "error"}`.

A packet is delivered whole or not at all, so that a worker which dies leaves no half message.
"""

import array
import json
import socket
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

JSON: TypeAlias = "bool | int | float | str | Sequence[JSON] | Mapping[str, JSON] | None"

MESSAGE_LIMIT_BYTES = 128 * 1024
"""Fits into the default send buffer of a unix socket (208 KiB); what is larger travels as a descriptor."""

DESCRIPTOR_LIMIT = 16

WORKER_SOCKET_TYPE = socket.SOCK_SEQPACKET


class MessageTooLarge(Exception):
    """A message does not fit into one packet; the message says how large it is."""


def encode(message: Mapping[str, Any]) -> bytes:
    """One packet. Raises MessageTooLarge, TypeError or ValueError (no JSON, or NaN)."""
    packet = json.dumps(message, allow_nan=False, separators=(",", ":")).encode()
    if len(packet) > MESSAGE_LIMIT_BYTES:
        raise MessageTooLarge(
            f"a message of {len(packet)} bytes is over the limit of {MESSAGE_LIMIT_BYTES}; pass a descriptor"
        )
    return packet


def decode(packet: bytes) -> dict[str, Any]:
    """The message of a packet. Raises ValueError."""
    message = json.loads(packet)
    if not isinstance(message, dict):
        raise ValueError(f"a message is an object, not {type(message).__name__}")
    return message


def send(connection: socket.socket, packet: bytes, descriptors: Sequence[int] = ()) -> None:
    """Send one packet; blocks, or raises BlockingIOError, as the socket does. Raises OSError."""
    if len(descriptors) > DESCRIPTOR_LIMIT:
        raise ValueError(f"{len(descriptors)} descriptors, at most {DESCRIPTOR_LIMIT} go with a message")
    rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", descriptors))] if descriptors else []
    connection.sendmsg([packet], rights)


def receive(connection: socket.socket) -> tuple[bytes, list[int]]:
    """One packet and its descriptors, which the caller owns; an empty packet is the end. Raises OSError."""
    size = array.array("i").itemsize
    packet, ancillary, _, _ = connection.recvmsg(
        MESSAGE_LIMIT_BYTES, socket.CMSG_SPACE(DESCRIPTOR_LIMIT * size), socket.MSG_CMSG_CLOEXEC
    )
    descriptors = array.array("i")
    for level, kind, data in ancillary:
        if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
            descriptors.frombytes(data[: len(data) - len(data) % size])
    return packet, list(descriptors)
