"""EnvironmentService: all of the contract is listed, and a starter comes whole, in pieces."""

from typing import Any

import grpc.aio
import pytest
from calls import Streamed, refused, rest
from scorer.v1 import environment_pb2, environment_pb2_grpc
from scripted_environment import request
from scripted_service import Service

import scorer_service
from scorer_service.api.registry import Readiness
from scorer_service.environments.interface import NotServing

PIECE = 1 << 20


def environments(service: Service) -> Any:
    return environment_pb2_grpc.EnvironmentServiceStub(service.channel)


async def listed(service: Service) -> dict[str, environment_pb2.Environment]:
    asked = environment_pb2.ListEnvironmentsRequest()
    response = await environments(service).ListEnvironments(asked)
    assert response.server_version == scorer_service.__version__
    return {environment.name: environment for environment in response.environments}


async def test_all_environments_of_the_contract_are_listed_in_order(service: Service) -> None:
    found = await listed(service)
    assert list(found) == ["fix_embedding", "restricted_mlm", "rust_codecontests", "triton_cumsum"]
    assert [name for name, environment in found.items() if environment.serving] == ["rust_codecontests"]
    for name in ("fix_embedding", "restricted_mlm", "triton_cumsum"):
        assert found[name].not_serving_reason
        assert not found[name].HasField("anchors")


async def test_a_served_environment_is_described(service: Service) -> None:
    found = (await listed(service))["rust_codecontests"]
    assert (found.serving, found.not_serving_reason) == (True, "")
    assert (found.profile, found.device, found.isolation) == ("embedded", "cpu", "none")
    assert (found.anchors.starting_raw, found.anchors.reference_raw) == (0.0, 0.5)
    assert found.direction == environment_pb2.SCORE_DIRECTION_HIGHER
    assert found.raw_score_unit == "share"
    assert (found.inline_source_limit_bytes, found.source_limit_bytes) == (1000, 1000)
    assert [(limit.name, limit.value) for limit in found.limits] == [("time", "none")]


@pytest.mark.parametrize("is_ready", [False])
async def test_an_environment_that_starts_is_listed_with_the_reason(service: Service) -> None:
    found = (await listed(service))["rust_codecontests"]
    assert not found.serving
    assert found.not_serving_reason == Readiness.STARTING.value


async def test_an_environment_that_cannot_serve_says_what_is_missing(service: Service) -> None:
    await service.registry.set_readiness("rust_codecontests", Readiness.FAILED, "no rustc: install Rust")
    found = (await listed(service))["rust_codecontests"]
    assert (found.serving, found.not_serving_reason) == (False, "no rustc: install Rust")


async def test_the_depth_of_the_queue_counts_what_waits(service: Service) -> None:
    found = (await listed(service))["rust_codecontests"]
    assert (found.queue_depth, found.expected_wait.ToNanoseconds()) == (0, 0)
    calls = [Streamed(service.channel, request("0"))]
    await service.environment.started.wait()
    for marker in "12":
        calls.append(Streamed(service.channel, request(marker)))
        await calls[-1].job_id()
    found = (await listed(service))["rust_codecontests"]
    assert found.queue_depth == 2
    assert found.expected_wait.ToNanoseconds() > 0


async def test_a_starter_comes_whole_in_pieces_that_follow_each_other(service: Service) -> None:
    asked = environment_pb2.GetStarterRequest(environment="rust_codecontests")
    files: dict[str, bytes] = {}
    executable: dict[str, bool] = {}
    ended: list[str] = []
    for piece in await rest(environments(service).GetStarter(asked)):
        assert piece.path not in ended
        assert len(piece.chunk) <= PIECE
        files[piece.path] = files.get(piece.path, b"") + piece.chunk
        executable[piece.path] = piece.executable
        if piece.last_chunk:
            ended.append(piece.path)
    expected = {file.path: file for file in service.environment.starter()}
    assert files == {path: file.content for path, file in expected.items()}
    assert executable == {path: file.executable for path, file in expected.items()}
    assert ended == list(expected)
    assert len(files["large"]) > 2 * PIECE
    assert files["empty"] == b""


async def test_a_starter_can_be_had_before_the_environment_is_ready(service: Service) -> None:
    await service.registry.set_readiness("rust_codecontests", Readiness.STARTING)
    asked = environment_pb2.GetStarterRequest(environment="rust_codecontests")
    assert await rest(environments(service).GetStarter(asked))


@pytest.mark.parametrize(
    ("name", "code", "reason"),
    [
        ("rust", grpc.StatusCode.NOT_FOUND, "ENVIRONMENT_NOT_FOUND"),
        ("", grpc.StatusCode.NOT_FOUND, "ENVIRONMENT_NOT_FOUND"),
        ("😀" * 10_000, grpc.StatusCode.NOT_FOUND, "ENVIRONMENT_NOT_FOUND"),
        ("triton_cumsum", grpc.StatusCode.UNIMPLEMENTED, "ENVIRONMENT_NOT_SERVED"),
    ],
    ids=["unknown", "empty", "odd", "not served"],
)
async def test_a_starter_that_is_not_here_is_told_why(
    service: Service, name: str, code: grpc.StatusCode, reason: str
) -> None:
    asked = environment_pb2.GetStarterRequest(environment=name)
    found = await refused(rest(environments(service).GetStarter(asked)))
    assert (found.code, found.reason) == (code, reason)
    assert found.metadata_bytes < 8 << 10


async def test_a_starter_that_cannot_be_made_says_why(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail() -> None:
        raise NotServing("not started")

    monkeypatch.setattr(service.environment, "starter", fail)
    await service.registry.set_readiness("rust_codecontests", Readiness.FAILED, "no rustc: install Rust")
    asked = environment_pb2.GetStarterRequest(environment="rust_codecontests")
    found = await refused(environments(service).GetStarter(asked).read())
    assert (found.code, found.reason) == (grpc.StatusCode.UNAVAILABLE, "ENVIRONMENT_NOT_SERVING")
    assert "install Rust" in found.message
