"""Lets in who may call: the token is looked at before the request, and the request before its servicer."""

from typing import Any

import grpc
from google.protobuf.message import Message

from scorer_service.api.access.authentication import Authentication
from scorer_service.api.access.caller import ANYBODY, Caller, presented, set_caller
from scorer_service.api.access.ownership import Ownership
from scorer_service.api.access.table import AUTHORISATION, Rule
from scorer_service.api.errors import ApiError
from scorer_service.api.interceptors.around import Around, AroundInterceptor, Context
from scorer_service.logs import context as log_context


class AccessInterceptor(AroundInterceptor):
    """Refuses what the authorisation table does not allow."""

    def __init__(self, authentication: Authentication | None, ownership: Ownership) -> None:
        """Without authentication the server is open: everybody may call what the table has."""
        self._authentication = authentication
        self._ownership = ownership

    def around(self, method: str, kind: str, context: Context) -> Around:
        """Check one call."""
        return _CheckAccess(self, method, context)

    async def _caller(self, method: str, rule: Rule, bearer: str | None) -> Caller:
        if self._authentication is None or not rule.needs_token:
            return ANYBODY
        caller = await self._authentication.caller(bearer)
        if caller.role not in rule.roles:
            allowed = " or ".join(role.value for role in rule.roles)
            raise ApiError(
                grpc.StatusCode.PERMISSION_DENIED,
                "WRONG_ROLE",
                f"{method} is for the role {allowed}, and the token is for "
                f"{caller.role.value if caller.role else 'none'}: use a token of that role",
            )
        return caller


class _CheckAccess(Around):
    def __init__(self, interceptor: AccessInterceptor, method: str, context: Context) -> None:
        self._interceptor = interceptor
        self._method = method
        self._presented = presented(context.invocation_metadata())
        self._rule: Rule | None = None
        self._caller: Caller | None = None

    async def __aenter__(self) -> "_CheckAccess":
        self._rule = AUTHORISATION.get(self._method)
        if self._rule is None:
            raise ApiError(
                grpc.StatusCode.PERMISSION_DENIED,
                "WRONG_ROLE",
                f"{self._method} is for nobody: the server's authorisation table does not have it",
            )
        self._caller = await self._interceptor._caller(self._method, self._rule, self._presented.bearer)
        set_caller(self._caller)
        log_context.bind(attempt_id=self._caller.attempt_id)
        return self

    async def admit(self, request: Any) -> None:
        # What is no message of the contract is refused further in, and by then the caller is known.
        if self._rule is None or self._caller is None or not isinstance(request, Message):
            return
        await self._interceptor._ownership.check(
            self._rule, request, self._caller, self._presented.evaluator_key
        )
