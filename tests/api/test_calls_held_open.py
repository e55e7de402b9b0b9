"""Calls that are held open have an end to their number, so that they cannot fill the memory."""

import asyncio
from collections.abc import Iterator
from typing import Any

import grpc.aio
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from scripted_service import Service

from scorer_service.api import server

LIMIT = 5


@pytest.fixture(autouse=True)
def _few_calls() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(server, "CALLS_LIMIT", LIMIT)
        yield


async def test_more_calls_than_there_may_be_are_refused_until_some_end(service: Service) -> None:
    stub: Any = health_pb2_grpc.HealthStub(service.channel)
    watches = [stub.Watch(health_pb2.HealthCheckRequest(service=str(number))) for number in range(LIMIT)]
    for watch in watches:
        await watch.read()
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await stub.Check(health_pb2.HealthCheckRequest())
    assert caught.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
    watches[0].cancel()
    async with asyncio.timeout(10):
        while True:  # until the server knows that the call has gone
            try:
                assert (await stub.Check(health_pb2.HealthCheckRequest())).status
                return
            except grpc.aio.AioRpcError:
                continue
