"""What a client does not wait for is no failure: no incident is logged for it."""

import asyncio
import logging
from typing import Any

import grpc.aio
import pytest

from scorer_service.api.errors import ApiError
from scorer_service.api.interceptors.errors import ErrorInterceptor


@pytest.mark.parametrize("how", ["abort", "raise"])
async def test_a_refusal_that_comes_too_late_is_no_incident(
    caplog: pytest.LogCaptureFixture, how: str
) -> None:
    began, ended = asyncio.Event(), asyncio.Event()

    async def refuse_late(request: bytes, context: Any) -> bytes:
        began.set()
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            if how == "raise":
                raise ApiError(grpc.StatusCode.NOT_FOUND, "JOB_NOT_FOUND", "is nowhere") from None
            await context.abort(grpc.StatusCode.NOT_FOUND)
        finally:
            ended.set()
        return b""

    server = grpc.aio.server(interceptors=(ErrorInterceptor(),))
    handler: Any = grpc.unary_unary_rpc_method_handler(refuse_late)
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("late", {"Refuse": handler}),))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    with caplog.at_level(logging.ERROR):
        async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
            refuse: Any = channel.unary_unary("/late/Refuse")
            call = refuse(b"")
            await asyncio.wait_for(began.wait(), 10)
            call.cancel()
            await asyncio.wait_for(ended.wait(), 10)
        await server.stop(5)
    assert [record.getMessage() for record in caplog.records] == []
