"""A message that nests deeper than the format allows is refused; tests/fuzz sends whatever else is odd."""

from typing import Any

import grpc.aio
import pytest
from scripted_service import Service


async def test_deep_nesting_is_the_clients_error(service: Service) -> None:
    data = b""
    for _ in range(300):  # a group in a group in a group, as an unknown field
        data = b"\x0b" + data + b"\x0c"
    call: Any = service.channel.unary_unary("/scorer.v1.JobService/GetJob")
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await call(data)
    assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT
