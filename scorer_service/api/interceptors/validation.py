"""Refuses what is not a message of the contract, or too large, before any servicer sees it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import grpc
from google.protobuf.message import DecodeError

from scorer_service.api.errors import ApiError
from scorer_service.api.interceptors.around import Around, AroundInterceptor, Context

# gRPC's own receive limit. The transport takes a little more, so that a message over the limit gets an
# answer that says what to do, where gRPC's own would only name two numbers.
REQUEST_LIMIT_BYTES = 4 << 20
TRANSPORT_LIMIT_BYTES = 16 << 20


@dataclass(frozen=True)
class _Refused:
    error: ApiError


class ValidationInterceptor(AroundInterceptor):
    """Reads requests so that a wrong one is the client's error, not the server's."""

    def around(self, method: str, kind: str, context: Context) -> Around:
        """Raise what reading found, inside the call."""
        return _RaiseRefused()

    def deserializer(self, inner: Callable[[bytes], Any]) -> Callable[[bytes], Any]:
        """Read a request, or say why it cannot be read."""

        def read(data: bytes) -> Any:
            if len(data) > REQUEST_LIMIT_BYTES:
                return _Refused(
                    ApiError(
                        grpc.StatusCode.INVALID_ARGUMENT,
                        "REQUEST_TOO_LARGE",
                        f"the request has {len(data)} bytes, the limit is {REQUEST_LIMIT_BYTES}: upload "
                        "large sources with ArtifactService and refer to them by digest",
                    )
                )
            try:
                return inner(data)
            except (DecodeError, ValueError, RecursionError) as error:
                return _Refused(
                    ApiError(
                        grpc.StatusCode.INVALID_ARGUMENT,
                        "MALFORMED_REQUEST",
                        f"the request is not a message of the contract: {error}",
                    )
                )

        return read


class _RaiseRefused(Around):
    def on_request(self, request: Any) -> None:
        if isinstance(request, _Refused):
            raise request.error
