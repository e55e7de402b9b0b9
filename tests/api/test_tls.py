"""TLS of the RPC port: who is believed on either side, and certificates replaced under open calls."""

import logging
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import grpc.aio
import pytest
from certificates import Authority, Pair
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from prometheus_client import CollectorRegistry
from scripted_service import Service

from scorer_service.api.access.certificates import CertificateError, RotatedCredentials, TlsFiles
from scorer_service.api.access.control import AccessControl
from scorer_service.api.server import ApiServer

CHECK = health_pb2.HealthCheckRequest()


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path, "first")


@asynccontextmanager
async def secured(service: Service, files: TlsFiles) -> AsyncIterator[str]:
    """Another port of the service, with TLS; its address."""
    nothing: Any = None
    health_servicer = health.aio.HealthServicer()
    api = ApiServer(
        registry=service.registry,
        health_servicer=health_servicer,
        scheduler=service.scheduler,
        queue=nothing,
        attempts=nothing,
        artifacts=nothing,
        access=AccessControl(nothing, None, RotatedCredentials(files)),
        metrics=CollectorRegistry(),
    )
    await health_servicer.set("", health_pb2.HealthCheckResponse.SERVING)
    address = f"127.0.0.1:{await api.start('127.0.0.1:0')}"
    try:
        yield address
    finally:
        await api.stop(0)


def channel(address: str, authority: Authority, client: Pair | None = None) -> grpc.aio.Channel:
    """Each with a connection of its own, as that of another client."""
    own = (client.key.read_bytes(), client.certificate.read_bytes()) if client else (None, None)
    credentials = grpc.ssl_channel_credentials(authority.own.certificate.read_bytes(), *own)
    return grpc.aio.secure_channel(address, credentials, [("grpc.use_local_subchannel_pool", 1)])


def stub(made: grpc.aio.Channel) -> Any:
    return health_pb2_grpc.HealthStub(made)


async def is_answered(address: str, authority: Authority, client: Pair | None = None) -> bool:
    async with channel(address, authority, client) as made:
        try:
            await stub(made).Check(CHECK, timeout=20)
        except grpc.aio.AioRpcError as error:
            if error.code() is not grpc.StatusCode.UNAVAILABLE:
                raise
            return False
        return True


async def test_a_client_that_trusts_the_authority_is_answered(
    service: Service, authority: Authority, tmp_path: Path
) -> None:
    pair = authority.signed("server")
    async with secured(service, TlsFiles(pair.certificate, pair.key)) as address:
        assert await is_answered(address, authority)
        assert not await is_answered(address, Authority(tmp_path, "other"))
        async with grpc.aio.insecure_channel(address) as plain:
            with pytest.raises(grpc.aio.AioRpcError):
                await stub(plain).Check(CHECK, timeout=20)


async def test_a_new_certificate_is_taken_up_and_no_call_is_dropped(
    service: Service, authority: Authority, tmp_path: Path
) -> None:
    pair = authority.signed("server")
    async with secured(service, TlsFiles(pair.certificate, pair.key)) as address:
        async with channel(address, authority) as before:
            watching = stub(before).Watch(CHECK)
            assert (await watching.read()).status == health_pb2.HealthCheckResponse.SERVING
            second = Authority(tmp_path, "second")
            pair.replace_by(second.signed("server"))
            assert await is_answered(address, second)
            assert not await is_answered(address, authority)
            # The call from before goes on, and so do new ones on its connection.
            assert not watching.done()
            await stub(before).Check(CHECK)
            watching.cancel()
        assert await is_answered(address, second)


async def test_half_a_new_certificate_is_not_taken_up(
    service: Service, authority: Authority, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    pair = authority.signed("server")
    second = Authority(tmp_path, "second")
    new = second.signed("server")
    async with secured(service, TlsFiles(pair.certificate, pair.key)) as address:
        pair.certificate.write_bytes(new.certificate.read_bytes())
        for _ in range(3):
            assert await is_answered(address, authority)
        complaints = [record for record in caplog.records if record.levelno == logging.ERROR]
        assert len(complaints) == 1
        assert str(pair.certificate) in complaints[0].getMessage()
        pair.key.unlink()
        assert await is_answered(address, authority)
        pair.key.write_bytes(new.key.read_bytes())
        assert await is_answered(address, second)
    assert new.key.read_text().splitlines()[1] not in caplog.text


async def test_links_are_followed_as_those_of_mounted_secrets_are_moved(
    service: Service, authority: Authority, tmp_path: Path
) -> None:
    second = Authority(tmp_path, "second")
    links = Pair(tmp_path / "tls.crt", tmp_path / "tls.key")
    current = tmp_path / "current"
    for link, name in ((links.certificate, "server.pem"), (links.key, "server.key")):
        link.symlink_to(current / name)
    current.symlink_to(authority.signed("server").key.parent)
    async with secured(service, TlsFiles(links.certificate, links.key)) as address:
        assert await is_answered(address, authority)
        moved = tmp_path / "moved"
        moved.symlink_to(second.signed("server").key.parent)
        moved.rename(current)
        assert await is_answered(address, second)


async def test_clients_must_show_a_certificate_where_their_authority_is_given(
    service: Service, authority: Authority, tmp_path: Path
) -> None:
    pair, theirs, others = (
        authority.signed("server"),
        Authority(tmp_path, "clients"),
        Authority(tmp_path, "x"),
    )
    client_ca = tmp_path / "client_ca.pem"
    client_ca.write_bytes(theirs.own.certificate.read_bytes())
    files = TlsFiles(pair.certificate, pair.key, client_ca)
    async with secured(service, files) as address:
        assert await is_answered(address, authority, theirs.signed("client", "DNS:client"))
        assert not await is_answered(address, authority)
        assert not await is_answered(address, authority, others.signed("client", "DNS:client"))
        client_ca.write_bytes(others.own.certificate.read_bytes())
        assert await is_answered(address, authority, others.signed("late", "DNS:client"))
        assert not await is_answered(address, authority, theirs.signed("late", "DNS:client"))


def broken_files(authority: Authority, folder: Path) -> dict[str, tuple[TlsFiles, str]]:
    pair, other = authority.signed("server"), authority.signed("other")
    text = folder / "text"
    text.write_text("no certificate")
    locked = folder / "locked.key"
    subprocess.run(
        ["openssl", "ec", "-aes128", "-passout", "pass:x", "-in", pair.key, "-out", locked],
        capture_output=True,
        check=True,
    )
    return {
        "missing": (TlsFiles(folder / "nowhere.pem", pair.key), "nowhere.pem"),
        "folder": (TlsFiles(folder, pair.key), str(folder)),
        "other key": (TlsFiles(pair.certificate, other.key), "other.key"),
        "text": (TlsFiles(text, pair.key), "text"),
        "locked": (TlsFiles(pair.certificate, locked), "without a password"),
        "client": (TlsFiles(pair.certificate, pair.key, text), "text"),
    }


@pytest.mark.parametrize("kind", ["missing", "folder", "other key", "text", "locked", "client"])
def test_files_that_cannot_be_used_are_named(authority: Authority, tmp_path: Path, kind: str) -> None:
    files, message = broken_files(authority, tmp_path)[kind]
    with pytest.raises(CertificateError) as caught:
        RotatedCredentials(files)
    assert message in str(caught.value)
