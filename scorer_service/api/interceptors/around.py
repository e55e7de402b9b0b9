"""Wraps handlers of all four kinds by one pair of hooks, so that an interceptor is written once."""

import abc
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TYPE_CHECKING, Any, TypeAlias

import grpc
import grpc.aio

if TYPE_CHECKING:
    # Generic for type checkers only.
    Context: TypeAlias = grpc.aio.ServicerContext[Any, Any]
    Handler: TypeAlias = grpc.RpcMethodHandler[Any, Any]
else:
    Context = grpc.aio.ServicerContext
    Handler = grpc.RpcMethodHandler


class AroundInterceptor(grpc.aio.ServerInterceptor, abc.ABC):
    """An interceptor that sees a call begin and end, and each message of it."""

    @abc.abstractmethod
    def around(self, method: str, kind: str, context: Context) -> "Around":
        """What is done for one call. `kind` is as in the metric label grpc_type."""

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable[Handler | None]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> Handler | None:
        """Replace the handler by one with the hooks round it."""
        handler = await continuation(handler_call_details)
        if handler is None:  # an unknown method: gRPC answers UNIMPLEMENTED itself
            return handler
        return self._wrap(handler_call_details.method, handler)

    def _wrap(self, method: str, handler: Any) -> Handler:
        kind = _KINDS[bool(handler.request_streaming), bool(handler.response_streaming)]

        async def call(request: Any, context: Context) -> Any:
            async with self.around(method, kind, context) as around:
                if handler.request_streaming:
                    request = _watched(request, around)
                else:
                    around.on_request(request)
                    await around.admit(request)
                inner = handler.stream_unary if handler.request_streaming else handler.unary_unary
                response = await inner(request, context)
                around.on_response()
                return response

        async def stream(request: Any, context: Context) -> AsyncIterator[Any]:
            async with self.around(method, kind, context) as around:
                if handler.request_streaming:
                    request = _watched(request, around)
                else:
                    around.on_request(request)
                    await around.admit(request)
                inner = handler.stream_stream if handler.request_streaming else handler.unary_stream
                responses = inner(request, context)
                if not isinstance(responses, AsyncIterator):
                    await responses  # a handler of the other style: it writes to the context itself
                    return
                async for response in responses:
                    around.on_response()
                    yield response

        make, behaviour = {
            "unary": (grpc.unary_unary_rpc_method_handler, call),
            "client_stream": (grpc.stream_unary_rpc_method_handler, call),
            "server_stream": (grpc.unary_stream_rpc_method_handler, stream),
            "bidi_stream": (grpc.stream_stream_rpc_method_handler, stream),
        }[kind]
        wrapped: Handler = make(
            behaviour,
            request_deserializer=self.deserializer(handler.request_deserializer),
            response_serializer=handler.response_serializer,
        )
        return wrapped

    def deserializer(self, inner: Callable[[bytes], Any]) -> Callable[[bytes], Any]:
        """How a request is read; the handler's own way unless overridden."""
        return inner


class Around:
    """The hooks of one call; an asynchronous context manager round its handler."""

    def on_request(self, request: Any) -> None:
        """A message came in."""

    async def admit(self, request: Any) -> None:
        """The one message of a call that has one came in; whoever is further in does not see it before this
        ends. Calls that stream their requests do not come here."""

    def on_response(self) -> None:
        """A message goes out."""

    async def __aenter__(self) -> "Around":
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: Any) -> None:
        return None


_KINDS = {
    (False, False): "unary",
    (True, False): "client_stream",
    (False, True): "server_stream",
    (True, True): "bidi_stream",
}


async def _watched(requests: AsyncIterator[Any], around: Around) -> AsyncIterator[Any]:
    async for request in requests:
        around.on_request(request)
        yield request
