"""Turns the token of a call into its caller."""

import hmac
import logging
import secrets

import grpc

from scorer_service.api.access.caller import Caller
from scorer_service.api.errors import ApiError
from scorer_service.store.interface import AttemptNotFound, AttemptStore
from scorer_service.store.tokens import (
    TOKEN_PREFIX,
    Role,
    TokenFile,
    TokenRefused,
    TokensUnreadable,
    secret_sha256,
)

log = logging.getLogger(__name__)

_WAY_OUT = (
    "an operator makes one by `scorer token create`, and CreateAttempt answers one for the attempt's agent; "
    "scorer-client takes it as --token-file or SCORER_TOKEN"
)
_ATTEMPT_TOKEN_PREFIX = f"{TOKEN_PREFIX}attempt-"


class Authentication:
    """Knows tokens of both kinds: those of the token file, and the one that came with each attempt."""

    def __init__(self, tokens: TokenFile, attempts: AttemptStore) -> None:
        self._tokens = tokens
        self._attempts = attempts

    async def caller(self, bearer: str | None) -> Caller:
        """Whose token this is. Raises ApiError, which never repeats it."""
        if not bearer:
            raise ApiError(
                grpc.StatusCode.UNAUTHENTICATED,
                "TOKEN_MISSING",
                "this server asks for an access token, as metadata `authorization: Bearer <token>`: "
                + _WAY_OUT,
            )
        try:
            if bearer.startswith(_ATTEMPT_TOKEN_PREFIX):
                return await self._agent_of_attempt(bearer)
            token = await self._tokens.holder_of(bearer)
        except TokenRefused as error:
            raise ApiError(
                grpc.StatusCode.UNAUTHENTICATED,
                "TOKEN_REFUSED",
                f"the access token lets nobody in: {error}. Get another: {_WAY_OUT}",
            ) from None
        except TokensUnreadable as error:
            log.error("nobody is let in: %s", error)
            raise ApiError(
                grpc.StatusCode.UNAVAILABLE,
                "TOKENS_UNREADABLE",
                "the server cannot read its access tokens; its log says why",
            ) from None
        return Caller(token.role, token.token_id, token.attempt_id)

    async def _agent_of_attempt(self, bearer: str) -> Caller:
        attempt_id, _, secret = bearer.removeprefix(TOKEN_PREFIX).partition("_")
        try:
            record = await self._attempts.get(attempt_id)
        except AttemptNotFound:
            raise TokenRefused("there is no such token") from None
        stored = record.agent_secret_sha256
        if stored is None or not hmac.compare_digest(secret_sha256(secret), stored):
            raise TokenRefused("there is no such token")
        return Caller(Role.AGENT, attempt_id=attempt_id)


def new_agent_secret() -> str:
    """A secret for the agent of a new attempt."""
    return secrets.token_urlsafe(32)


def agent_token(attempt_id: str, secret: str) -> str:
    """The token of an attempt's agent."""
    return f"{TOKEN_PREFIX}{attempt_id}_{secret}"
