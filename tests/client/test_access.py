"""Tokens, keys and certificates of the client: what is sent, what never is, and what a person is told."""

import functools
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest
from certificates import Authority, Pair
from scorer_client import AccessDenied, InvalidRequest, Unreachable, tls_credentials
from scorer_client._access import channel_options, stays_on_this_machine
from scorer_client.main import main

from tests.client.conftest import Colour
from tests.client.scripted_answers import (
    refuse,
)
from tests.client.scripted_server import ScriptedServer

TOKEN = "scorer_0123456789ab_" + "s" * 43
KEY = "key-of-the-evaluator"
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs a command; its exit status, standard output and standard error."""
    for name in [name for name in os.environ if name.startswith("SCORER_")]:
        monkeypatch.delenv(name)

    def run(*arguments: object) -> tuple[int, str, str]:
        status = main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return run


def sent(server: ScriptedServer) -> dict[str, str | bytes]:
    """What the last call told of its caller."""
    names = ("authorization", "scorer-evaluator-key")
    return {name: value for name, value in server.metadata[-1].items() if name in names}


@pytest.mark.parametrize(
    ("client", "expected"),
    [
        ({}, {}),
        ({"token": TOKEN}, {"authorization": f"Bearer {TOKEN}"}),
        ({"evaluator_key": KEY}, {"authorization": f"Bearer {KEY}"}),
        (
            {"token": TOKEN, "evaluator_key": KEY},
            {"authorization": f"Bearer {TOKEN}", "scorer-evaluator-key": KEY},
        ),
        ({"token": "", "evaluator_key": ""}, {}),
    ],
)
def test_every_call_brings_the_token_and_the_key_beside_it(
    server: ScriptedServer, colour: Colour, client: dict[str, Any], expected: dict[str, str]
) -> None:
    colour.call(server, "environments", client=client)
    assert sent(server) == expected
    colour.call(server, "score_rust_codecontests", {"a": "fn main() {}"}, client=client)
    assert sent(server) == expected


LOCAL = [
    "127.0.0.1:50051",
    "127.1.2.3:1",
    "localhost:50051",
    "LOCALHOST",
    "[::1]:50051",
    "dns:///localhost:50051",
    "dns://192.0.2.53/localhost:50051",
    "ipv4:127.0.0.1:50051,127.0.0.2:50051",
    "ipv6:[::1]:50051",
    "unix:/run/scorer.sock",
    "unix:///run/scorer.sock",
    "unix-abstract:scorer",
]
ELSEWHERE = [
    "scorer:50051",
    "192.0.2.1:50051",
    "[2001:db8::1]:50051",
    "2001:db8::1",
    "dns:///scorer:50051",
    "dns:scorer:50051",
    "localhost.example:50051",
    "ipv4:127.0.0.1:50051,192.0.2.1:50051",
    "xds:///localhost",
    "127.0.0.1.example:50051",
    "",
]


@pytest.mark.parametrize("target", LOCAL)
def test_what_stays_on_this_machine_goes_plain_and_past_no_proxy(target: str) -> None:
    assert stays_on_this_machine(target)
    assert ("grpc.enable_http_proxy", 0) in channel_options(target, ())


@pytest.mark.parametrize("target", ELSEWHERE)
@pytest.mark.parametrize("secret", ["token", "evaluator_key"])
def test_no_secret_goes_plain_to_another_machine_unless_that_is_allowed(
    colour: Colour, target: str, secret: str
) -> None:
    assert not stays_on_this_machine(target)
    with pytest.raises(InvalidRequest) as caught:
        colour.call(target, "environments", client={secret: TOKEN})
    assert TOKEN not in str(caught.value)
    assert caught.value.field_violations[0].field == secret
    for words in ("tls_credentials", "allow_plaintext=True"):
        assert words in str(caught.value)


def as_another_machine(server: ScriptedServer) -> str:
    """A target that a client cannot know to be this machine."""
    return server.target.replace("127.0.0.1", "0.0.0.0")


def test_a_secret_is_sent_plain_where_that_is_allowed(server: ScriptedServer, colour: Colour) -> None:
    client = {"token": TOKEN, "allow_plaintext": True}
    colour.call(as_another_machine(server), "environments", client=client)
    assert sent(server) == {"authorization": f"Bearer {TOKEN}"}


def test_a_secret_is_sent_by_tls_wherever_it_goes(authority: Authority, colour: Colour) -> None:
    server = ScriptedServer(server_credentials(authority.signed("server", "IP:0.0.0.0")))
    client = {"token": TOKEN, "credentials": tls_credentials(ca=authority.own.certificate)}
    try:
        colour.call(as_another_machine(server), "environments", client=client)
        assert sent(server) == {"authorization": f"Bearer {TOKEN}"}
    finally:
        server.close()


@pytest.mark.parametrize("token", ["a b", "a\nb", "a\n", "ä", "\x00", "a\x7f"])
def test_a_token_that_cannot_be_one_is_refused_and_not_repeated(
    server: ScriptedServer, colour: Colour, token: str
) -> None:
    with pytest.raises(InvalidRequest, match="printable") as caught:
        colour.call(server, "environments", client={"token": token})
    assert repr(token)[1:-1] not in str(caught.value).replace("token: must be printable", "")


# TLS, with real handshakes.


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path, "authority")


def server_credentials(pair: Pair, client_ca: Path | None = None) -> grpc.ServerCredentials:
    return grpc.ssl_server_credentials(
        [(pair.key.read_bytes(), pair.certificate.read_bytes())],
        client_ca.read_bytes() if client_ca else None,
        require_client_auth=client_ca is not None,
    )


@pytest.fixture
def secure(authority: Authority) -> Iterator[ScriptedServer]:
    double = ScriptedServer(server_credentials(authority.signed("server")))
    yield double
    double.close()


def test_tls_takes_the_authority_and_the_clients_own_certificate(
    authority: Authority, tmp_path: Path, colour: Colour
) -> None:
    clients = Authority(tmp_path, "clients")
    own = clients.signed("client", "DNS:client")
    server = ScriptedServer(server_credentials(authority.signed("server"), clients.own.certificate))
    try:
        credentials = tls_credentials(
            ca=authority.own.certificate, certificate=own.certificate, certificate_key=own.key
        )
        found = colour.call(server, "environments", client={"credentials": credentials, "token": TOKEN})
        assert found
        assert sent(server) == {"authorization": f"Bearer {TOKEN}"}
        without = tls_credentials(ca=authority.own.certificate)
        with pytest.raises(Unreachable):
            colour.call(server, "environments", client={"credentials": without})
    finally:
        server.close()


def test_files_that_cannot_be_used_are_named(authority: Authority, tmp_path: Path) -> None:
    own, other = authority.signed("client"), authority.signed("other")
    text = tmp_path / "text"
    text.write_text("no certificate")
    with pytest.raises(InvalidRequest, match="text has no certificates"):
        tls_credentials(ca=text)
    with pytest.raises(InvalidRequest, match=r"other\.key"):
        tls_credentials(certificate=own.certificate, certificate_key=other.key)
    with pytest.raises(InvalidRequest, match="certificate_key: is missing"):
        tls_credentials(certificate=own.certificate)
    with pytest.raises(InvalidRequest, match="certificate: is missing"):
        tls_credentials(certificate_key=own.key)
    with pytest.raises(FileNotFoundError):
        tls_credentials(ca=tmp_path / "nowhere")


# The command line.


def test_the_command_line_takes_a_token_from_wherever_it_is(
    server: ScriptedServer, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCORER_SERVER", server.target)
    files = []
    for name in ("by-variable", "by-option"):
        files.append(tmp_path / name)
        files[-1].write_text(f"{name}\n")
    # Each beats those before it.
    monkeypatch.setenv("SCORER_TOKEN_FILE", str(files[0]))
    assert run("environments")[0] == 0
    assert sent(server)["authorization"] == "Bearer by-variable"
    monkeypatch.setenv("SCORER_TOKEN", "variable")
    assert run("environments")[0] == 0
    assert sent(server)["authorization"] == "Bearer variable"
    assert run("environments", "--token-file", files[1])[0] == 0
    assert sent(server)["authorization"] == "Bearer by-option"
    assert run("--token", "option", "environments", "--token-file", files[1])[0] == 0
    assert sent(server)["authorization"] == "Bearer option"


@pytest.mark.parametrize("content", ["", "\n", "a b", "a\nb", "\xff"])
def test_a_token_file_with_anything_else_is_named(
    server: ScriptedServer, run: Run, tmp_path: Path, content: str
) -> None:
    file = tmp_path / "token"
    file.write_text(content, encoding="latin-1")
    status, _, err = run("environments", "--server", server.target, "--token-file", file)
    assert status == 2
    assert str(file) in err
    assert run("environments", "--server", server.target, "--token-file", tmp_path / "nowhere")[0] == 2
    assert not server.metadata


def test_a_token_for_another_machine_needs_tls_or_a_word(server: ScriptedServer, run: Run) -> None:
    command = ("environments", "--server", as_another_machine(server), "--token", TOKEN)
    status, _, err = run(*command)
    assert status == 2
    assert TOKEN not in err
    assert "--ca" in err
    assert "--allow-plaintext" in err
    assert not server.metadata
    assert run(*command, "--allow-plaintext")[0] == 0
    assert sent(server) == {"authorization": f"Bearer {TOKEN}"}


def test_the_command_line_speaks_tls(
    secure: ScriptedServer, authority: Authority, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCORER_SERVER", secure.target)
    assert run("environments", "--ca", authority.own.certificate)[0] == 0
    status, _, err = run("environments", "--ca", Authority(tmp_path, "other").own.certificate)
    assert (status, "--ca" in err, "signed" in err) == (3, True, True)
    status, _, err = run("environments", "--tls")
    assert (status, "--ca" in err) == (3, True)
    status, _, err = run("environments")
    assert (status, "if it speaks TLS, give --ca or --tls" in err) == (3, True)
    status, _, err = run("environments", "--ca", tmp_path / "nowhere.pem")
    assert (status, "nowhere.pem" in err) == (2, True)
    status, _, err = run("environments", "--certificate", authority.own.certificate)
    assert (status, "--certificate-key" in err or "certificate_key" in err) == (2, True)
    monkeypatch.setenv("SCORER_CA", str(authority.own.certificate))
    assert run("environments")[0] == 0


def test_tls_to_a_server_without_it_is_told(server: ScriptedServer, run: Run, authority: Authority) -> None:
    status, _, err = run("environments", "--server", server.target, "--ca", authority.own.certificate)
    assert status == 3
    assert "does not speak TLS" in err


def test_a_name_that_the_certificate_is_not_for_is_told(run: Run, authority: Authority) -> None:
    server = ScriptedServer(server_credentials(authority.signed("server", "DNS:scorer.example")))
    try:
        status, _, err = run("environments", "--server", server.target, "--ca", authority.own.certificate)
    finally:
        server.close()
    assert status == 3
    assert "another name" in err


@pytest.mark.parametrize(
    ("code", "reason", "told", "not_told"),
    [
        (grpc.StatusCode.UNAUTHENTICATED, "TOKEN_MISSING", "--token-file, SCORER_TOKEN", "evaluator key"),
        (grpc.StatusCode.UNAUTHENTICATED, "TOKEN_REFUSED", "--token-file, SCORER_TOKEN", "evaluator key"),
        (grpc.StatusCode.PERMISSION_DENIED, "WRONG_ROLE", "for the role operator", "evaluator key"),
        (grpc.StatusCode.PERMISSION_DENIED, "OTHER_ATTEMPT", "SCORER_EVALUATOR_KEY", "--token-file"),
    ],
)
def test_who_is_refused_is_told_the_way_in(
    server: ScriptedServer, run: Run, code: grpc.StatusCode, reason: str, told: str, not_told: str
) -> None:
    def refused(context: grpc.ServicerContext) -> None:
        refuse(context, code, "this is for the role operator", reason=reason)

    server.plain_failures.append(refused)
    status, _, err = run("environments", "--server", server.target, "--token", TOKEN)
    assert status == 2
    assert reason in err
    assert told in err
    assert not_told not in err
    assert TOKEN not in err
    assert len(server.metadata) == 1, "trying again does not help"


def test_the_library_says_access_denied(server: ScriptedServer, colour: Colour) -> None:
    for code in (grpc.StatusCode.UNAUTHENTICATED, grpc.StatusCode.PERMISSION_DENIED):
        server.plain_failures.append(functools.partial(refuse, code=code, message="no", reason="X"))
        with pytest.raises(AccessDenied):
            colour.call(server, "environments")


def test_an_attempt_comes_with_a_token_for_its_agent(
    server: ScriptedServer, run: Run, colour: Colour
) -> None:
    arguments = ("attempt", "create", "rust_codecontests", "--server", server.target)
    assert "agent token" not in run(*arguments)[1]
    server.agent_token = TOKEN
    status, out, err = run(*arguments)
    assert status == 0
    assert f"agent token: {TOKEN}\n" in out
    assert "SCORER_TOKEN" in err
    created = colour.call(server, "create_attempt", "rust_codecontests")
    assert created.agent_token == TOKEN
    assert TOKEN not in repr(created)
