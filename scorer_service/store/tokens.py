"""Access tokens, in a file of their own that the command line writes and a running server reads.

They are not in the server's database: a command that is stopped in the middle of a transaction would hold up
the queue, and one of another version would have to migrate a file that a server is working on. A file that is
replaced as a whole needs no lock to be read, and whether it has changed is one `stat`.
"""

import asyncio
import contextlib
import dataclasses
import enum
import fcntl
import hashlib
import hmac
import json
import os
import re
import secrets
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scorer_service.whole_file import whole_file

FILE_NAME = "tokens.json"
"""Inside the state folder."""
LOCK_NAME = "tokens.lock"
FORMAT_VERSION = 1
TOKEN_PREFIX = "scorer_"
"""Begins every token, so that a search for leaked secrets finds them, and so that they are told from the keys
of attempts."""
LABEL_LIMIT = 200
_SECRET_BYTES = 32
_TOKEN = re.compile(rf"{TOKEN_PREFIX}(?P<token_id>[0-9a-f]{{12}})_(?P<secret>[A-Za-z0-9_-]{{43}})\Z")


class Role(enum.Enum):
    """What the holder of a token is to the service."""

    AGENT = "agent"
    """Scores within one attempt, and sees what its policy shows."""
    EVALUATOR = "evaluator"
    """Creates attempts, and reads everything of them."""
    OPERATOR = "operator"
    """Sees and cancels every job."""


class TokenRefused(Exception):
    """A token lets nobody in. The message says why, and never repeats it."""


class TokenNotFound(Exception):
    """There is no token of that id."""


class TokensUnreadable(Exception):
    """The file of the tokens cannot be read, so that nobody can be let in."""


@dataclass(frozen=True)
class Token:
    """A token as stored. Times are seconds since the epoch."""

    token_id: str
    secret_sha256: str
    """See `secret_sha256`."""
    role: Role
    attempt_id: str | None
    """The one attempt of an agent; None for the other roles."""
    label: str
    created_at: float
    expires_at: float | None
    revoked_at: float | None

    def state(self, now: float) -> str:
        """`active`, `expired` or `revoked`."""
        if self.revoked_at is not None:
            return "revoked"
        return "expired" if self.expires_at is not None and self.expires_at <= now else "active"


def looks_like_token(text: str) -> bool:
    """Whether a bearer's secret is a token, and no key of an attempt."""
    return text.startswith(TOKEN_PREFIX)


class TokenFile:
    """The tokens of one state folder."""

    def __init__(self, state_dir: Path, clock: Callable[[], float] = time.time) -> None:
        self._folder = state_dir
        self._path = state_dir / FILE_NAME
        self._clock = clock
        self._signature: tuple[int, ...] | None = None
        self._tokens: Mapping[str, Token] = {}

    def create(
        self, role: Role, *, attempt_id: str | None, label: str, lifetime_s: float | None
    ) -> tuple[Token, str]:
        """A new token, and its text, which nobody can be told again. Blocks. Raises TokensUnreadable."""
        if (role is Role.AGENT) != (attempt_id is not None):
            raise ValueError(f"a token for {role.value} with attempt {attempt_id}")
        with self._changing() as tokens:
            token, text = self._with_new_secret(
                Token(secrets.token_hex(6), "", role, attempt_id, label, self._clock(), None, None),
                lifetime_s,
            )
            tokens[token.token_id] = token
        return token, text

    def renew(self, token_id: str, *, lifetime_s: float | None) -> tuple[Token, str]:
        """A new secret for a token, which stays the owner of what it made. The old secret is void.

        Blocks. Raises TokenNotFound, TokensUnreadable.
        """
        with self._changing() as tokens:
            token, text = self._with_new_secret(_find(tokens, token_id), lifetime_s)
            tokens[token_id] = token
        return token, text

    def revoke(self, token_id: str) -> Token:
        """Let the holder in no more. Idempotent. Blocks. Raises TokenNotFound, TokensUnreadable."""
        with self._changing() as tokens:
            token = _find(tokens, token_id)
            if token.revoked_at is None:
                token = dataclasses.replace(token, revoked_at=self._clock())
            tokens[token_id] = token
        return token

    def tokens(self) -> Sequence[Token]:
        """All tokens, the oldest first. Blocks. Raises TokensUnreadable."""
        return sorted(_read(self._path)[1].values(), key=lambda token: token.created_at)

    async def holder_of(self, text: str) -> Token:
        """The token that a caller sent. Raises TokenRefused, TokensUnreadable."""
        match = _TOKEN.match(text)
        if match is None:
            raise TokenRefused("it is not a token of this service")
        if _signature(self._path) != self._signature:
            # Kept apart until both are there: another call may read meanwhile.
            read = await asyncio.to_thread(_read, self._path)
            self._signature, self._tokens = read
        token = self._tokens.get(match["token_id"])
        # The id is no secret, the rest is compared in a time that does not depend on where they differ.
        if token is None or not hmac.compare_digest(secret_sha256(match["secret"]), token.secret_sha256):
            raise TokenRefused("there is no such token")
        if (state := token.state(self._clock())) != "active":
            raise TokenRefused(f"the token is {state}")
        return token

    def _with_new_secret(self, token: Token, lifetime_s: float | None) -> tuple[Token, str]:
        secret = secrets.token_urlsafe(_SECRET_BYTES)
        expires_at = None if lifetime_s is None else self._clock() + lifetime_s
        token = dataclasses.replace(
            token, secret_sha256=secret_sha256(secret), expires_at=expires_at, revoked_at=None
        )
        return token, f"{TOKEN_PREFIX}{token.token_id}_{secret}"

    @contextlib.contextmanager
    def _changing(self) -> Iterator[dict[str, Token]]:
        """Change the tokens that are yielded; they are written where nothing is raised."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with (self._folder / LOCK_NAME).open("a") as lock:
            _give_to_owner(lock.fileno(), self._folder)
            fcntl.flock(lock, fcntl.LOCK_EX)
            tokens = dict(_read(self._path)[1])
            yield tokens
            _write(self._path, tokens)


def _find(tokens: Mapping[str, Token], token_id: str) -> Token:
    token = tokens.get(token_id)
    if token is None:
        raise TokenNotFound(f"no token {token_id[:80]!r}: `scorer token list` shows those that there are")
    return token


def secret_sha256(secret: str) -> str:
    """What is stored of a secret. One of 256 random bits cannot be guessed, so its hash need not be slow."""
    return hashlib.sha256(secret.encode()).hexdigest()


def _signature(path: Path) -> tuple[int, ...] | None:
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise TokensUnreadable(f"cannot read {path}: {error.strerror}") from None
    return _signature_of(found)


def _signature_of(found: os.stat_result) -> tuple[int, ...]:
    return (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)


def _read(path: Path) -> tuple[tuple[int, ...] | None, Mapping[str, Token]]:
    try:
        with path.open(encoding="utf-8") as file:
            signature = _signature_of(os.fstat(file.fileno()))
            document = json.load(file)
    except FileNotFoundError:
        return None, {}
    except (OSError, ValueError) as error:
        raise TokensUnreadable(f"cannot read {path}: {error}") from None
    try:
        if document["version"] != FORMAT_VERSION:
            raise TokensUnreadable(
                f"{path} has format {document['version']!r}, this version of the service knows "
                f"{FORMAT_VERSION}: use the newer one, or another --state-dir"
            )
        return signature, {row["token_id"]: _token_of(row) for row in document["tokens"]}
    except (KeyError, TypeError, ValueError) as error:
        raise TokensUnreadable(f"{path} is not a file of tokens: {error!r}") from None


def _token_of(row: Mapping[str, Any]) -> Token:
    return Token(**{**row, "role": Role(row["role"])})


def _write(path: Path, tokens: Mapping[str, Token]) -> None:
    """Replace the file as a whole: whoever reads it sees the old one or the new one."""
    rows = [{**dataclasses.asdict(token), "role": token.role.value} for token in tokens.values()]
    with whole_file(path, mode=0o600) as file:
        _give_to_owner(file.fileno(), path.parent)
        file.write(json.dumps({"version": FORMAT_VERSION, "tokens": rows}, indent=1).encode())


def _give_to_owner(descriptor: int, folder: Path) -> None:
    """Where root makes a token for a server that runs as another user, the server must be able to read it."""
    owner = folder.stat()
    if os.geteuid() == 0 and owner.st_uid != 0:
        os.fchown(descriptor, owner.st_uid, owner.st_gid)
