"""grpc.health.v1: one name for each environment, and the whole under the empty one."""

import asyncio
from typing import Any

import grpc.aio
import pytest
from calls import refused, until
from grpc_health.v1 import health_pb2, health_pb2_grpc
from scripted_service import Service

from scorer_service.api.registry import Readiness

SERVING = health_pb2.HealthCheckResponse.SERVING
NOT_SERVING = health_pb2.HealthCheckResponse.NOT_SERVING


def health(service: Service) -> Any:
    return health_pb2_grpc.HealthStub(service.channel)


async def status(service: Service, name: str) -> int:
    response = await health(service).Check(health_pb2.HealthCheckRequest(service=name))
    return int(response.status)


def watch(service: Service, name: str) -> Any:
    return health(service).Watch(health_pb2.HealthCheckRequest(service=name))


async def next_status(watching: Any) -> int:
    async with asyncio.timeout(10):
        return int((await watching.read()).status)


@pytest.mark.parametrize("is_ready", [False])
@pytest.mark.parametrize(
    "name", ["", "rust_codecontests", "triton_cumsum", "restricted_mlm", "fix_embedding"]
)
async def test_nothing_serves_before_it_is_ready(service: Service, name: str) -> None:
    assert await status(service, name) == NOT_SERVING


async def test_the_whole_serves_when_one_environment_does(service: Service) -> None:
    assert await status(service, "rust_codecontests") == SERVING
    assert await status(service, "") == SERVING
    assert await status(service, "triton_cumsum") == NOT_SERVING


@pytest.mark.parametrize("readiness", [Readiness.FAILED, Readiness.DRAINING])
async def test_an_environment_that_ceases_to_serve_takes_the_whole_with_it(
    service: Service, readiness: Readiness
) -> None:
    await service.registry.set_readiness("rust_codecontests", readiness)
    assert await status(service, "rust_codecontests") == NOT_SERVING
    assert await status(service, "") == NOT_SERVING


async def test_an_unknown_name_is_not_found(service: Service) -> None:
    found = await refused(status(service, "rust"))
    assert found.code is grpc.StatusCode.NOT_FOUND
    labels = {
        "grpc_type": "unary",
        "grpc_service": "grpc.health.v1.Health",
        "grpc_method": "Check",
        "grpc_code": "NotFound",
    }
    await until(lambda: service.metrics.get_sample_value("grpc_server_handled_total", labels) == 1)


async def test_a_method_that_the_servicer_lacks_is_unimplemented(
    service: Service, caplog: pytest.LogCaptureFixture
) -> None:
    call: Any = service.channel.unary_unary("/grpc.health.v1.Health/List")
    found = await refused(call(b""))
    assert found.code is grpc.StatusCode.UNIMPLEMENTED
    assert not caplog.records


@pytest.mark.parametrize("name", ["", "rust_codecontests"])
async def test_a_watch_streams_changes(service: Service, name: str) -> None:
    watching = watch(service, name)
    assert await next_status(watching) == SERVING
    for readiness, expected in [
        (Readiness.DRAINING, NOT_SERVING),
        (Readiness.SERVING, SERVING),
        (Readiness.FAILED, NOT_SERVING),
    ]:
        await service.registry.set_readiness("rust_codecontests", readiness)
        assert await next_status(watching) == expected


async def test_a_watch_of_an_unknown_name_says_so_and_waits(service: Service) -> None:
    assert await next_status(watch(service, "rust")) == health_pb2.HealthCheckResponse.SERVICE_UNKNOWN


async def test_a_health_watcher_that_leaves_is_counted_as_cancelled(service: Service) -> None:
    watching = watch(service, "")
    await next_status(watching)
    watching.cancel()
    labels = {
        "grpc_type": "server_stream",
        "grpc_service": "grpc.health.v1.Health",
        "grpc_method": "Watch",
        "grpc_code": "Canceled",
    }
    await until(lambda: service.metrics.get_sample_value("grpc_server_handled_total", labels) == 1)
