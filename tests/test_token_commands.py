"""`scorer token`: what an operator sees of it."""

import asyncio
import json
from pathlib import Path

import pytest

from scorer_service.main import EXIT_FAILURE, EXIT_USAGE, main
from scorer_service.store.attempts import SqliteAttemptStore
from scorer_service.store.database import FILE_NAME, Database
from scorer_service.store.interface import ScorePolicy
from scorer_service.store.tokens import Role, TokenFile

Captured = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def token(state: Path, *arguments: str) -> int:
    try:
        return main(["token", *arguments, "--state-dir", str(state)])
    except SystemExit as end:  # argparse, for arguments that it refuses
        return int(end.code or 0)


def attempt_in(state: Path) -> str:
    state.mkdir(mode=0o700)
    database = Database(state / FILE_NAME)
    store = SqliteAttemptStore(database)
    create = store.create(
        environment="rust_codecontests", policy=ScorePolicy.HIDDEN, label="", evaluator_key_sha256=""
    )
    attempt_id = asyncio.run(create).attempt_id
    database.close()
    return attempt_id


def test_a_token_is_printed_once_alone_on_standard_output(tmp_path: Path, capsys: Captured) -> None:
    state = tmp_path / "state"
    assert token(state, "create", "--role", "operator", "--label", "the pager") == 0
    shown = capsys.readouterr()
    text = shown.out.removesuffix("\n")
    holder = asyncio.run(TokenFile(state).holder_of(text))
    assert (holder.role, holder.label) == (Role.OPERATOR, "the pager")
    assert text not in shown.err
    assert holder.token_id in shown.err
    assert "asks for tokens" in shown.err
    assert state.stat().st_mode & 0o777 == 0o700
    assert token(state, "create", "--role", "operator") == 0
    assert "first token" not in capsys.readouterr().err


def test_an_agents_token_is_for_an_attempt_that_there_is(tmp_path: Path, capsys: Captured) -> None:
    state = tmp_path / "state"
    attempt_id = attempt_in(state)
    assert token(state, "create", "--role", "agent", "--attempt", attempt_id, "--days", "0") == 0
    (made,) = TokenFile(state).tokens()
    assert (made.role, made.attempt_id, made.expires_at) == (Role.AGENT, attempt_id, None)
    capsys.readouterr()
    assert token(state, "create", "--role", "agent", "--attempt", "attempt-9") == EXIT_USAGE
    assert "attempt-9" in capsys.readouterr().err
    assert token(tmp_path / "nowhere", "create", "--role", "agent", "--attempt", attempt_id) == EXIT_USAGE
    assert not (tmp_path / "nowhere").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--role", "agent"], "--attempt is missing"),
        (["--role", "evaluator", "--attempt", "attempt-1"], "leave it out"),
        (["--role", "emperor"], "operator"),
        ([], "--role"),
        (["--role", "operator", "--days", "-1"], "from 0 to 36500"),
        (["--role", "operator", "--days", "nan"], "from 0 to 36500"),
        (["--role", "operator", "--label", "a\x1b[2J"], "printable"),
        (["--role", "operator", "--label", "a" * 201], "200"),
    ],
)
def test_what_is_wrong_is_told_and_nothing_made(
    tmp_path: Path, capsys: Captured, arguments: list[str], message: str
) -> None:
    assert token(tmp_path / "state", "create", *arguments) == EXIT_USAGE
    shown = capsys.readouterr()
    assert message in shown.err
    assert not shown.out
    assert not (tmp_path / "state").exists()


def test_the_list_tells_what_each_token_is_and_never_its_secret(tmp_path: Path, capsys: Captured) -> None:
    state = tmp_path / "state"
    assert token(state, "list") == 0
    assert "scorer token create" in capsys.readouterr().out
    for role, label in (("operator", "pager"), ("evaluator", "nightly")):
        assert token(state, "create", "--role", role, "--label", label) == 0
    texts = capsys.readouterr().out.split()
    first, second = TokenFile(state).tokens()
    assert token(state, "revoke", first.token_id) == 0
    capsys.readouterr()
    assert token(state, "list") == 0
    shown = capsys.readouterr().out
    lines = shown.splitlines()
    assert lines[1].split()[:3] == [first.token_id, "operator", "revoked"]
    assert lines[2].split()[:3] == [second.token_id, "evaluator", "active"]
    assert token(state, "list", "--json") == 0
    document = capsys.readouterr().out
    assert [row["label"] for row in json.loads(document)] == ["pager", "nightly"]
    assert [row["state"] for row in json.loads(document)] == ["revoked", "active"]
    for one, text in zip((first, second), texts, strict=True):
        for secret in (text[-43:], one.secret_sha256):
            assert secret not in shown + document


def test_a_token_is_renewed_and_revoked_by_its_id(tmp_path: Path, capsys: Captured) -> None:
    state = tmp_path / "state"
    token(state, "create", "--role", "evaluator")
    old = capsys.readouterr().out.strip()
    (made,) = TokenFile(state).tokens()
    assert token(state, "renew", made.token_id, "--days", "1") == 0
    new = capsys.readouterr().out.strip()
    renewed = asyncio.run(TokenFile(state).holder_of(new))
    assert (renewed.token_id, new != old) == (made.token_id, True)
    assert token(state, "revoke", "0123456789ab") == EXIT_FAILURE
    shown = capsys.readouterr()
    assert "scorer token list" in shown.err
    assert "Traceback" not in shown.err


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, capsys: Captured) -> None:
    (tmp_path / "state").mkdir()
    (tmp_path / "state" / "tokens.json").write_text("{")
    assert token(tmp_path / "state", "list") == EXIT_FAILURE
    assert "tokens.json" in capsys.readouterr().err
