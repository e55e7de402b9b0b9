"""Who makes a call, and what the call's metadata says of it."""

import contextvars
import urllib.parse
from collections.abc import Iterable
from dataclasses import dataclass, field

from scorer_service.store.interface import Owner
from scorer_service.store.tokens import Role, looks_like_token

EVALUATOR_KEY = "scorer-evaluator-key"
"""Metadata that has the key of an attempt where `authorization` has a token."""


@dataclass(frozen=True)
class Caller:
    """The holder of a token; or anybody, where the server is open."""

    role: Role | None
    """None where the server is open: nobody is asked who they are."""
    token_id: str | None = None
    """None where the server is open, and for the token that came with an attempt."""
    attempt_id: str | None = None
    """The one attempt of an agent."""

    @property
    def is_anybody(self) -> bool:
        """Whether the server is open."""
        return self.role is None

    @property
    def owner(self) -> Owner:
        """As whom the caller owns what it uploads. Raises ValueError where the server is open."""
        if self.role is Role.AGENT and self.attempt_id:
            return Owner(attempt_id=self.attempt_id)
        if self.role is Role.EVALUATOR and self.token_id:
            return Owner(token_id=self.token_id)
        raise ValueError(f"{self.role} owns nothing")


ANYBODY = Caller(None)
"""The caller of every call to an open server."""

# Without a default, so that code that asks where nobody was let in fails, and lets nobody through.
_current: contextvars.ContextVar[Caller] = contextvars.ContextVar("caller")


def current_caller() -> Caller:
    """Who makes the call that is being answered. Raises LookupError outside of one."""
    return _current.get()


def set_caller(caller: Caller) -> None:
    """For the rest of this call."""
    _current.set(caller)


@dataclass(frozen=True)
class Presented:
    """The secrets that a call brings. They are left out of `repr`, so that no log has them."""

    bearer: str | None = field(repr=False)
    """What `authorization` has after `Bearer`."""
    evaluator_key: str | None = field(repr=False)
    """An attempt's evaluator key: in metadata of its own, or as a bearer that is no token."""


def presented(metadata: Iterable[tuple[str, str | bytes]] | None) -> Presented:
    """Reads a call's metadata."""
    values = {str(name): value for name, value in metadata or ()}
    bearer = None
    if isinstance(authorization := values.get("authorization"), str):
        scheme, _, secret = authorization.partition(" ")
        if scheme.lower() == "bearer":  # in any case, by RFC 9110, section 11.1
            bearer = secret.strip()
    key = values.get(EVALUATOR_KEY)
    if not isinstance(key, str):
        key = None if bearer is None or looks_like_token(bearer) else bearer
    return Presented(bearer, key)


def address_without_port(peer: str) -> str:
    """Of a peer as gRPC names it (`ipv4:192.0.2.1:5000`, `ipv6:%5B2001:db8::1%5D:5000`, `unix:`), so that all
    connections of one machine are the same."""
    kind, _, address = peer.partition(":")
    if kind not in ("ipv4", "ipv6"):
        return peer
    return f"{kind}:{urllib.parse.unquote(address).rpartition(':')[0].strip('[]')}"
