"""The file of the tokens: changed by many at once, read by a server meanwhile, and without a secret in it."""

import asyncio
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from scorer_service.store.tokens import (
    FILE_NAME,
    LOCK_NAME,
    Role,
    Token,
    TokenFile,
    TokenNotFound,
    TokenRefused,
    TokensUnreadable,
)


def create(folder: Path, role: Role = Role.OPERATOR, label: str = "") -> tuple[Token, str]:
    return TokenFile(folder).create(role, attempt_id=None, label=label, lifetime_s=None)


async def test_a_token_is_known_by_its_text_alone(tmp_path: Path) -> None:
    file = TokenFile(tmp_path, lambda: 1000.0)
    token, text = file.create(Role.AGENT, attempt_id="attempt-1", label="run 7", lifetime_s=60)
    assert await file.holder_of(text) == token
    assert (token.role, token.attempt_id, token.label) == (Role.AGENT, "attempt-1", "run 7")
    assert (token.created_at, token.expires_at) == (1000, 1060)
    with pytest.raises(TokenRefused):
        await file.holder_of(token.token_id)


def test_the_file_has_no_secret_and_is_for_its_owner_alone(tmp_path: Path) -> None:
    _, text = create(tmp_path)
    secret = text[-43:]
    for path in (tmp_path / FILE_NAME, tmp_path / LOCK_NAME):
        assert secret not in path.read_text()
    assert (tmp_path / FILE_NAME).stat().st_mode & 0o777 == 0o600
    assert sorted(path.name for path in tmp_path.iterdir()) == [FILE_NAME, LOCK_NAME]


def test_no_two_secrets_are_alike_and_each_has_256_bits(tmp_path: Path) -> None:
    texts = {create(tmp_path)[1] for _ in range(20)}
    assert len({text[-43:] for text in texts}) == 20


@pytest.mark.parametrize(("role", "attempt_id"), [(Role.AGENT, None), (Role.EVALUATOR, "attempt-1")])
def test_only_an_agent_has_an_attempt_and_every_agent_has(
    tmp_path: Path, role: Role, attempt_id: str | None
) -> None:
    with pytest.raises(ValueError, match=role.value):
        TokenFile(tmp_path).create(role, attempt_id=attempt_id, label="", lifetime_s=None)


async def test_changes_made_at_once_are_all_kept(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as threads:
        made = list(threads.map(lambda number: create(tmp_path, label=str(number)), range(24)))
        list(threads.map(lambda one: TokenFile(tmp_path).revoke(one[0].token_id), made[:12]))
    found = TokenFile(tmp_path).tokens()
    assert {token.label for token in found} == {str(number) for number in range(24)}
    assert {token.label for token in found if token.revoked_at} == {str(number) for number in range(12)}
    reader = TokenFile(tmp_path)
    for _, text in made[12:]:
        await reader.holder_of(text)


async def test_a_reader_never_sees_half_a_file(tmp_path: Path) -> None:
    file = TokenFile(tmp_path)
    _, text = file.create(Role.OPERATOR, attempt_id=None, label="", lifetime_s=None)
    many = asyncio.to_thread(lambda: [create(tmp_path) for _ in range(50)])
    writing = asyncio.ensure_future(many)
    while not writing.done():
        await file.holder_of(text)
        await asyncio.sleep(0)
    assert len(file.tokens()) == 51


def test_a_process_that_is_killed_while_it_holds_the_lock_leaves_everything_as_it_was(tmp_path: Path) -> None:
    token, _ = create(tmp_path)
    program = """
import os, sys
from pathlib import Path
from scorer_service.store.tokens import Role, TokenFile
with TokenFile(Path(sys.argv[1]))._changing() as tokens:
    tokens.clear()
    os.kill(os.getpid(), 9)
"""
    ended = subprocess.run([sys.executable, "-c", program, str(tmp_path)], check=False)
    assert ended.returncode == -9
    assert TokenFile(tmp_path).tokens() == [token]
    create(tmp_path)
    assert len(TokenFile(tmp_path).tokens()) == 2


def test_a_token_that_is_not_there_is_named(tmp_path: Path) -> None:
    for change in (TokenFile(tmp_path).revoke, lambda name: TokenFile(tmp_path).renew(name, lifetime_s=None)):
        with pytest.raises(TokenNotFound, match="0123456789ab"):
            change("0123456789ab")


@pytest.mark.parametrize("text", ["", "{", "[]", '{"version": 2, "tokens": []}', '{"version": 1}'])
def test_a_file_that_is_not_understood_is_left_alone(tmp_path: Path, text: str) -> None:
    path = tmp_path / FILE_NAME
    path.write_text(text)
    for use in (
        TokenFile(tmp_path).tokens,
        lambda: create(tmp_path),
        lambda: TokenFile(tmp_path).revoke("x"),
    ):
        with pytest.raises(TokensUnreadable, match=FILE_NAME):
            use()
    assert path.read_text() == text


async def test_a_role_of_a_later_version_lets_nobody_in(tmp_path: Path) -> None:
    _, text = create(tmp_path)
    path = tmp_path / FILE_NAME
    document = json.loads(path.read_text())
    document["tokens"][0]["role"] = "emperor"
    path.write_text(json.dumps(document))
    with pytest.raises(TokensUnreadable):
        await TokenFile(tmp_path).holder_of(text)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root makes files for others")
def test_what_root_makes_belongs_to_the_folders_owner(tmp_path: Path) -> None:
    os.chown(tmp_path, 12345, 12346)
    create(tmp_path)
    for name in (FILE_NAME, LOCK_NAME):
        found = (tmp_path / name).stat()
        assert (found.st_uid, found.st_gid) == (12345, 12346)
