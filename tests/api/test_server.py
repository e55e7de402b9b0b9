"""The server's side of the transport: pings are welcome, and a port has one server."""

import asyncio
from typing import Any

import pytest
from grpc_health.v1 import health
from prometheus_client import CollectorRegistry
from scripted_service import Service

from scorer_service.api.access.control import AccessControl
from scorer_service.api.server import ApiServer, ListenError

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
SETTINGS, PING, GOAWAY = 4, 6, 7
ACK = 1


def frame(kind: int, flags: int = 0, payload: bytes = b"") -> bytes:
    """RFC 9113, section 4.1, on stream 0."""
    return len(payload).to_bytes(3, "big") + bytes([kind, flags]) + bytes(4) + payload


async def next_frame(reader: asyncio.StreamReader) -> tuple[int, int, bytes]:
    head = await reader.readexactly(9)
    return head[3], head[4], await reader.readexactly(int.from_bytes(head[:3], "big"))


async def test_a_client_may_ping_as_often_as_it_likes_without_a_call(service: Service) -> None:
    host, port = service.address.split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(PREFACE + frame(SETTINGS))
    async with asyncio.timeout(10):
        for number in range(50):
            payload = number.to_bytes(8, "big")
            writer.write(frame(PING, payload=payload))
            # Each after the answer to the last: pings that come in one piece are no strikes against a client.
            while (got := await next_frame(reader)) != (PING, ACK, payload):
                assert got[0] != GOAWAY
                if got[0] == PING:
                    writer.write(frame(PING, ACK, got[2]))
    writer.close()
    await writer.wait_closed()


def another(service: Service) -> ApiServer:
    nothing: Any = None
    return ApiServer(
        registry=service.registry,
        health_servicer=health.aio.HealthServicer(),
        scheduler=service.scheduler,
        queue=nothing,
        attempts=nothing,
        artifacts=nothing,
        access=AccessControl(nothing, None),
        metrics=CollectorRegistry(),
    )


async def test_a_port_that_has_a_server_gets_no_second_one(service: Service) -> None:
    with pytest.raises(ListenError, match=service.address) as caught:
        await another(service).start(service.address)
    assert "--listen" in str(caught.value)


@pytest.mark.parametrize("address", ["192.0.2.1:50051", "nowhere.invalid:50051"])
async def test_an_address_of_another_machine_is_refused(service: Service, address: str) -> None:
    with pytest.raises(ListenError, match=address):
        await another(service).start(address)
