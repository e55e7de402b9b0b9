"""Calls as tests make them: refused ones, ones whose metadata is seen early, and waiting for a state."""

import asyncio
from collections.abc import Callable
from typing import Any

import grpc.aio
import pytest
from rich_status import Rich, rich
from scorer.v1 import rust_codecontests_pb2 as messages


class Streamed:
    """A unary call made as a stream of one answer: grpc.aio shows initial metadata early only then."""

    def __init__(self, channel: grpc.aio.Channel, submission: Any, timeout: float | None = None) -> None:
        method = "/scorer.v1.ScoringService/ScoreRustCodecontests"
        make = channel.unary_stream(
            method,
            request_serializer=messages.ScoreRustCodecontestsRequest.SerializeToString,
            response_deserializer=messages.ScoreRustCodecontestsResponse.FromString,
        )
        self.call: Any = make(submission, timeout=timeout)

    async def job_id(self) -> str:
        """Known once the job is accepted."""
        return str(dict(await self.call.initial_metadata())["scorer-job-id"])

    async def answer(self) -> messages.ScoreRustCodecontestsResponse:
        """The answer, once it is there."""
        response: messages.ScoreRustCodecontestsResponse = await self.call.read()
        return response


async def refused(call: Any) -> Rich:
    """How a call failed that must fail."""
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await call
    return rich(caught.value)


async def until(condition: Callable[[], bool], limit_s: float = 10) -> None:
    """Let the server work until something holds: what it does after a client has gone has no answer."""
    async with asyncio.timeout(limit_s):
        while not condition():  # noqa: ASYNC110 - the state is the server's own, it has no event
            await asyncio.sleep(0)


async def rest(call: Any) -> list[Any]:
    """The messages of a stream that were not read yet. Raises where it fails."""
    messages = []
    while (message := await call.read()) is not grpc.aio.EOF:
        messages.append(message)
    return messages
