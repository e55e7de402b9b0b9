"""No request, however odd, makes the server fail: it is answered or it is the client's error."""

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

import grpc
import pytest
from calls import Streamed
from google.protobuf.descriptor import FieldDescriptor, MethodDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from grpc_health.v1 import health_pb2
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scorer.v1 import (
    artifact_pb2,
    attempt_pb2,
    environment_pb2,
    job_pb2,
    result_pb2,
    scoring_pb2,
)
from scripted_environment import request
from scripted_service import Service

METHODS: dict[str, MethodDescriptor] = {
    f"/{service.full_name}/{method.name}": method
    for module in (scoring_pb2, job_pb2, attempt_pb2, artifact_pb2, environment_pb2, health_pb2)
    for service in module.DESCRIPTOR.services_by_name.values()
    for method in service.methods
    # A health watch has no end.
    if not (service.full_name == "grpc.health.v1.Health" and method.name == "Watch")
}

# The server's own failures. UNAVAILABLE is one too here: this server neither starts nor drains.
FAULTS = {
    grpc.StatusCode.INTERNAL,
    grpc.StatusCode.UNKNOWN,
    grpc.StatusCode.UNAVAILABLE,
    grpc.StatusCode.DATA_LOSS,
    grpc.StatusCode.DEADLINE_EXCEEDED,
}

FUZZ = settings(
    max_examples=30,
    deadline=None,
    database=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


def status(channel: Any, path: str, data: bytes, *more: bytes) -> grpc.StatusCode:
    """How a call ends that has these bytes for its messages."""
    method = METHODS[path]
    metadata = (("authorization", "Bearer x"),) if len(data) % 2 else ()
    how: dict[str, Any] = {"timeout": 10, "metadata": metadata}
    requests = iter([data, *more])
    call: Any
    try:
        if method.client_streaming:
            call = channel.stream_unary(path).with_call(requests, **how)[1]
        elif method.server_streaming:
            call = channel.unary_stream(path)(data, **how)
            for _ in call:
                pass
        else:
            call = channel.unary_unary(path).with_call(data, **how)[1]
    except grpc.RpcError as error:
        call = error
    code: grpc.StatusCode = call.code()
    return code


def texts(known: list[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        st.sampled_from(known),
        st.text(max_size=20),
        st.sampled_from(["", "\0", "../x", "'; DROP TABLE jobs; --", "%s{}", "😀" * 3000, "0" * 64]),
    )


def messages(kind: Any, known: list[str]) -> st.SearchStrategy[Message]:
    """Well-formed messages with values that nobody expects, some of them known to the server."""
    values = {field.name: of_field(field, known) for field in kind.fields}

    def build(chosen: dict[str, Any]) -> Message:
        message = GetMessageClass(kind)()
        for name, value in chosen.items():
            field = kind.fields_by_name[name]
            if field.is_repeated:
                getattr(message, name).extend(value)
            elif field.type == FieldDescriptor.TYPE_MESSAGE:
                getattr(message, name).CopyFrom(value)
            else:
                setattr(message, name, value)
        return message

    return st.fixed_dictionaries({}, optional=values).map(build)


def of_field(field: FieldDescriptor, known: list[str]) -> st.SearchStrategy[Any]:
    numbers_of_32_bits = st.one_of(st.integers(-2, 3), st.sampled_from([2**31 - 1, -(2**31)]))
    kinds: dict[int, Callable[[], st.SearchStrategy[Any]]] = {
        FieldDescriptor.TYPE_STRING: lambda: texts(known),
        FieldDescriptor.TYPE_BYTES: lambda: st.binary(max_size=50),
        FieldDescriptor.TYPE_BOOL: st.booleans,
        FieldDescriptor.TYPE_INT32: lambda: numbers_of_32_bits,
        FieldDescriptor.TYPE_ENUM: lambda: numbers_of_32_bits,
        FieldDescriptor.TYPE_INT64: lambda: st.one_of(
            st.integers(-2, 3), st.sampled_from([2**63 - 1, -(2**63)])
        ),
        FieldDescriptor.TYPE_MESSAGE: lambda: messages(field.message_type, known),
    }
    value = kinds[field.type]()
    return st.lists(value, max_size=4) if field.is_repeated else value


def mutated(valid: bytes) -> st.SearchStrategy[bytes]:
    """A valid message with some bytes changed, cut out or put in."""

    def apply(edits: list[tuple[int, int, bytes]]) -> bytes:
        data = valid
        for place, length, inserted in edits:
            begin = place % (len(data) + 1)
            data = data[:begin] + inserted + data[begin + length :]
        return data

    edit = st.tuples(st.integers(0, 10_000), st.integers(0, 3), st.binary(max_size=3))
    return st.lists(edit, min_size=1, max_size=4).map(apply)


async def known_names(service: Service) -> list[str]:
    """Names that the server knows, so that odd requests reach beyond the search for them."""
    job_id = await Streamed(service.channel, request("a")).job_id()
    await service.scheduler.wait(job_id)
    attempt = "/scorer.v1.AttemptService/CreateAttempt"
    create: Any = service.channel.unary_unary(
        attempt, response_deserializer=attempt_pb2.CreateAttemptResponse.FromString
    )
    asked = attempt_pb2.CreateAttemptRequest(environment="rust_codecontests").SerializeToString()
    made = await create(asked)
    return [job_id, made.attempt.attempt_id, "rust_codecontests", "triton_cumsum"]


def valid_messages(known: list[str]) -> Iterator[tuple[str, Message]]:
    """A request for each method that is answered."""
    job_id, attempt_id, *_ = known
    name = job_pb2.JobName(job_id=job_id)
    artifact = result_pb2.ArtifactReference(sha256="0" * 64, size_bytes=3)
    fields: dict[str, dict[str, Any]] = {
        "GetJob": {"name": name},
        "WatchJob": {"name": name},
        "CancelJob": {"name": name},
        "CreateAttempt": {"environment": "rust_codecontests", "label": "label"},
        "GetAttempt": {"attempt_id": attempt_id},
        "ListScores": {"attempt_id": attempt_id, "page_size": 3, "page_token": "1"},
        "CloseAttempt": {"attempt_id": attempt_id},
        "FindMissingArtifacts": {"artifacts": [artifact]},
        "GetUploadOffset": {"artifact": artifact},
        "DownloadArtifact": {"artifact": artifact, "offset_bytes": 1},
        "UploadArtifact": {"header": artifact_pb2.UploadHeader(artifact=artifact)},
        "GetStarter": {"environment": "rust_codecontests"},
        "ScoreRustCodecontests": {"programs": request("a").programs, "context": request("a").context},
    }
    for path, method in METHODS.items():
        yield path, GetMessageClass(method.input_type)(**fields.get(method.name, {}))


def never_fails(channel: grpc.Channel, path: str, parts: st.SearchStrategy[list[bytes]]) -> None:
    """Call one method with what is drawn."""

    @FUZZ
    @given(parts=parts)
    def check(parts: list[bytes]) -> None:
        assert status(channel, path, *parts) not in FAULTS

    check()


async def in_a_thread(service: Service, fuzz: Callable[[grpc.Channel, list[str]], None]) -> None:
    """Hypothesis draws and calls in a thread; the server is on this loop."""
    service.environment.released.set()
    known = await known_names(service)

    def run() -> None:
        with grpc.insecure_channel(service.address) as channel:
            fuzz(channel, known)

    await asyncio.to_thread(run)


async def test_random_bytes(service: Service) -> None:
    def fuzz(channel: grpc.Channel, known: list[str]) -> None:
        for path in METHODS:
            never_fails(channel, path, st.lists(st.binary(max_size=200), min_size=1, max_size=1))

    await in_a_thread(service, fuzz)


async def test_valid_messages_with_some_bytes_changed(service: Service) -> None:
    def fuzz(channel: grpc.Channel, known: list[str]) -> None:
        for path, message in valid_messages(known):
            one = mutated(message.SerializeToString()).map(lambda data: [data])
            never_fails(channel, path, one)

    await in_a_thread(service, fuzz)


async def test_well_formed_messages_with_values_that_nobody_expects(service: Service) -> None:
    def fuzz(channel: grpc.Channel, known: list[str]) -> None:
        for path, method in METHODS.items():
            part = messages(method.input_type, known).map(lambda message: message.SerializeToString())
            most = 4 if method.client_streaming else 1
            never_fails(channel, path, st.lists(part, min_size=1, max_size=most))

    await in_a_thread(service, fuzz)


async def test_deep_nesting_is_the_clients_error(service: Service) -> None:
    data = b""
    for _ in range(300):  # a group in a group in a group, as an unknown field
        data = b"\x0b" + data + b"\x0c"
    call: Any = service.channel.unary_unary("/scorer.v1.JobService/GetJob")
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await call(data)
    assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT
