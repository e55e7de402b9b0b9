"""Every RPC of a real server over a real channel: random messages, broken bytes, odd metadata, calls that are
cut off.

Methods are those of the descriptor pool, so that a new one is called without a word here.
"""

import contextlib
import importlib
import pkgutil
import random
import subprocess
import tempfile
import threading
import uuid
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import grpc
import scorer.v1
from artifact_calls import parts
from google.protobuf.descriptor import MethodDescriptor, ServiceDescriptor
from grpc_health.v1 import health_pb2
from grpc_reflection.v1alpha import reflection_pb2
from leftovers import descriptor_count, resident_bytes
from scorer.v1 import attempt_pb2, result_pb2, rust_codecontests_pb2
from scorer_client import ScorerClient
from server_process import BIN, ECHO, ServerProcess, server_environment, write_problem_set

from tests.fuzz.campaign import Fault
from tests.fuzz.wire import WireWriter, delimited

# What takes the server out of use, as it should.
LEFT_OUT = {
    "/scorer.v1.OperatorService/Drain",
    "/scorer.v1.OperatorService/QuarantineDevice",
    "/scorer.v1.OperatorService/ReleaseDevice",
}
# What must be answered to no message. A server that neither starts nor drains is not UNAVAILABLE either.
FAULTS = {
    grpc.StatusCode.INTERNAL,
    grpc.StatusCode.UNKNOWN,
    grpc.StatusCode.DATA_LOSS,
    grpc.StatusCode.UNAVAILABLE,
}
CALL_LIMIT_S = 20.0
SLOW = {"/scorer.v1.ScoringService/ScoreRustCodecontests"}
"""Compiles and runs programs, and may take that long on a busy machine."""
RECEIVE_LIMIT_BYTES = 16 << 20
DESCRIPTORS_MARGIN = 12
"""Connections that are about to close, and a program that is being judged."""

Metadata = Sequence[tuple[str, str | bytes]]


def methods() -> Mapping[str, MethodDescriptor]:
    """Every method of the contract, and of health and reflection, by its path."""
    modules = [
        importlib.import_module(f"scorer.v1.{found.name}")
        for found in pkgutil.iter_modules(scorer.v1.__path__)
        if found.name.endswith("_pb2")
    ]
    services: list[ServiceDescriptor] = []
    for module in (*modules, health_pb2, reflection_pb2):
        services += module.DESCRIPTOR.services_by_name.values()
    found = {
        f"/{service.full_name}/{method.name}": method for service in services for method in service.methods
    }
    return {path: method for path, method in found.items() if path not in LEFT_OUT}


class RpcSurface:
    """A server process on a folder of its own, and one channel to it."""

    name = "rpc"
    access = "open"
    growth_limit_bytes = 64 << 20
    """A few messages as large as the transport takes lie in the pieces of memory that an allocator keeps."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="fuzz-rpc-")
        folder = Path(self._folder.name)
        problems = write_problem_set(folder / "problems.jsonl", {"echo": {}})
        self.server = ServerProcess(
            folder / "server", "--problem-set", str(problems), "--access", self.access
        ).start()
        self._channel: Any = self._connect()
        self._methods = methods()
        self._paths = sorted(self._methods)
        self._tokens = self._made_tokens()
        self._known = self._known_texts()
        self._descriptors_at_first = descriptor_count(self._pid)
        self.called: set[str] = set()
        """Paths of the methods that were called so far."""

    @property
    def _pid(self) -> int:
        assert self.server.process is not None
        return self.server.process.pid

    def attempt(self, chance: random.Random) -> str:
        """One call."""
        path = chance.choice(self._paths)
        self.called.add(path)
        method = self._methods[path]
        writer = WireWriter(chance, self._known)
        odd = chance.random() < 0.5
        requests = [
            writer.message(method.input_type, odd=odd) for _ in range(self._part_count(chance, method))
        ]
        if method.name == "UploadArtifact" and chance.random() < 0.6:
            requests = _upload(chance)
        if chance.random() < 0.01:
            filler = chance.choice((3 << 20, 5 << 20, RECEIVE_LIMIT_BYTES - 100, RECEIVE_LIMIT_BYTES + 100))
            requests[-1:] = [delimited(chance.choice((1, 2, 1000)), b"x" * filler)]
        metadata = self._metadata(chance)
        limit_s = chance.choice((0.002, 0.05)) if chance.random() < 0.1 else CALL_LIMIT_S
        code = self._call(chance, path, method, requests, metadata, limit_s)
        self._look(path, code, limit_s)
        return code.name

    def resident_bytes(self) -> int:
        """Of the server."""
        return resident_bytes(self._pid)

    def close(self) -> None:
        """Stop the server. Raises Fault where it is not well."""
        with contextlib.ExitStack() as ending:
            ending.callback(self._folder.cleanup)
            ending.callback(self._channel.close)
            ending.callback(self.server.stop)
            if not self.server.is_healthy():
                raise Fault("the server is not healthy any more")
            with ScorerClient(self.server.address, token=self._tokens.get("evaluator")) as client:
                result = client.score_rust_codecontests({"echo": ECHO})
            if result.solved_count != 1:
                raise Fault(f"an honest program is not scored any more: {result}")
            open_now = descriptor_count(self._pid)
            if open_now > self._descriptors_at_first + DESCRIPTORS_MARGIN:
                raise Fault(f"{open_now} descriptors are open, {self._descriptors_at_first} were at first")
            told = self.server.log.read_text(errors="replace")
            if "Traceback" in told:
                raise Fault("the log has a traceback:\n" + told[told.index("Traceback") - 500 :][:3000])

    def _connect(self) -> grpc.Channel:
        return grpc.insecure_channel(
            self.server.address,
            options=(
                ("grpc.max_send_message_length", -1),
                ("grpc.enable_retries", 0),
                ("grpc.use_local_subchannel_pool", 1),
            ),
        )

    def _made_tokens(self) -> dict[str, str]:
        """A token for each role; none for an open server."""
        return {}

    def _as(self, role: str) -> Metadata:
        return (("authorization", f"Bearer {self._tokens[role]}"),) if self._tokens else ()

    def _metadata(self, chance: random.Random) -> Metadata:
        """Of one call."""
        return _odd_metadata(chance, self._known)

    def _known_texts(self) -> list[bytes]:
        """Names that the server knows, a key among them."""
        program = rust_codecontests_pb2.RustProgram(
            problem_id="echo", source=result_pb2.SourceFile(inline="fn main() {}")
        )
        request_id = str(uuid.UUID(int=random.Random(1).getrandbits(128), version=4))
        score: Any = self._channel.unary_unary(
            "/scorer.v1.ScoringService/ScoreRustCodecontests",
            response_deserializer=rust_codecontests_pb2.ScoreRustCodecontestsResponse.FromString,
        )
        asked = rust_codecontests_pb2.ScoreRustCodecontestsRequest(
            context=result_pb2.RequestContext(request_id=request_id), programs=[program]
        )
        how: dict[str, Any] = {"timeout": CALL_LIMIT_S, "metadata": self._as("evaluator")}
        job_id = score(asked.SerializeToString(), **how).result.job_id
        create: Any = self._channel.unary_unary(
            "/scorer.v1.AttemptService/CreateAttempt",
            response_deserializer=attempt_pb2.CreateAttemptResponse.FromString,
        )
        made = create(
            attempt_pb2.CreateAttemptRequest(environment="rust_codecontests").SerializeToString(),
            **how,
        )
        artifact = parts(b"fuzz")
        self._channel.stream_unary("/scorer.v1.ArtifactService/UploadArtifact")(
            iter([part.SerializeToString() for part in artifact]),
            **how,
        )
        return [
            text.encode()
            for text in (
                job_id,
                request_id,
                made.attempt.attempt_id,
                made.evaluator_key,
                "rust_codecontests",
                "triton_cumsum",
                "echo",
                "fn main() {}",
                artifact[0].header.artifact.sha256,  # type: ignore[attr-defined]
            )
        ]

    @staticmethod
    def _part_count(chance: random.Random, method: MethodDescriptor) -> int:
        return chance.choice((0, 1, 1, 2, 3, 9)) if method.client_streaming else 1

    def _call(
        self,
        chance: random.Random,
        path: str,
        method: MethodDescriptor,
        requests: Sequence[bytes],
        metadata: Metadata,
        limit_s: float,
    ) -> grpc.StatusCode:
        cancels = chance.random() < 0.1
        how: dict[str, Any] = {"timeout": limit_s, "metadata": metadata}
        stalled = threading.Event()
        try:
            call: Any
            if method.client_streaming:
                stream = self._stream(requests, stalled if cancels else None)
                call = (
                    self._channel.stream_stream(path)(stream, **how)
                    if method.server_streaming
                    else self._channel.stream_unary(path).future(stream, **how)
                )
            elif method.server_streaming:
                call = self._channel.unary_stream(path)(requests[0], **how)
            else:
                call = self._channel.unary_unary(path).future(requests[0], **how)
            if cancels:
                call.cancel()
            elif method.server_streaming:
                self._drain(chance, method, call)
            code: grpc.StatusCode = call.code()
            return code
        except grpc.RpcError as error:
            found: grpc.StatusCode = error.code()
            return found
        finally:
            stalled.set()

    @staticmethod
    def _drain(chance: random.Random, method: MethodDescriptor, call: Any) -> None:
        # A watch may have no end.
        most = 1 if method.name in ("Watch", "WatchJob") else 10_000
        for count, _ in enumerate(call, 1):
            if count >= most:
                call.cancel()
                return

    @staticmethod
    def _stream(requests: Sequence[bytes], stall: threading.Event | None) -> Iterator[bytes]:
        yield from requests
        if stall is not None:
            stall.wait(CALL_LIMIT_S)

    def _look(self, path: str, code: grpc.StatusCode, limit_s: float) -> None:
        assert self.server.process is not None
        if self.server.process.poll() is not None:
            raise Fault(f"{path} ended the server:\n{self.server.log.read_text(errors='replace')[-3000:]}")
        if code in FAULTS:
            raise Fault(f"{path} answers {code.name}")
        if code is grpc.StatusCode.DEADLINE_EXCEEDED and limit_s == CALL_LIMIT_S and path not in SLOW:
            raise Fault(f"{path} has not answered in {limit_s:.0f} s")


class TokenRpcSurface(RpcSurface):
    """The same of a server that asks for tokens. Most calls have a right one, of any role."""

    name = "rpc with tokens"
    access = "tokens"

    def _made_tokens(self) -> dict[str, str]:
        made = {}
        for role in ("evaluator", "operator"):
            command: list[str | Path] = [BIN / "scorer", "token", "create", "--role", role]
            command += ["--state-dir", self.server.state_dir]
            done = subprocess.run(
                command, stdout=subprocess.PIPE, text=True, env=server_environment(), check=True
            )
            made[role] = done.stdout.strip()
        with ScorerClient(self.server.address, token=made["evaluator"]) as client:
            created = client.create_attempt("rust_codecontests")
        assert created.agent_token is not None
        return {**made, "agent": created.agent_token}

    def _metadata(self, chance: random.Random) -> Metadata:
        odd = _odd_metadata(chance, self._known) if chance.random() < 0.4 else ()
        if chance.random() < 0.1:
            return odd
        role = chance.choice(("agent", "agent", "evaluator", "evaluator", "operator"))
        # The last one counts.
        return [*odd, *self._as(role)]


def _upload(chance: random.Random) -> list[bytes]:
    """The parts of an upload: lost, doubled, in another order, cut, with an offset that is not right."""
    content = chance.randbytes(chance.choice((0, 1, 200_000)))
    messages: list[Any] = list(parts(content))
    header, chunks = messages[0], messages[1:]
    header.header.offset_bytes = chance.choice((0, 0, 0, 1, len(content), -1, (1 << 63) - 1))
    if chance.random() < 0.3:
        header.header.artifact.size_bytes = chance.choice((0, 1, len(content) + 1, (1 << 63) - 1, -1))
    mixed = [header, *chunks] if chance.random() < 0.6 else [*chunks, header, header]
    if chance.random() < 0.2:
        chance.shuffle(mixed)
    if chance.random() < 0.2:
        mixed += mixed
    return [part.SerializeToString() for part in mixed]


def _odd_metadata(chance: random.Random, known: Sequence[bytes]) -> Metadata:
    if chance.random() < 0.4:
        return ()
    found: list[tuple[str, str | bytes]] = []
    for _ in range(chance.choice((1, 1, 2, 5))):
        name = chance.choice(("authorization", "scorer-evaluator-key", "x-other", "authorization"))
        value = chance.choice(
            ("Bearer", "Bearer ", "bearer x", "Basic eDp5", "", " ", "Bearer " + "x" * 3000, "Bearer scorer_")
        )
        if chance.random() < 0.5:
            value = f"Bearer {chance.choice(known).decode()}"
        found.append((name, value))
    if chance.random() < 0.2:
        found.append(("authorization-bin", chance.randbytes(20)))
    if chance.random() < 0.1:
        found.append(
            ("traceparent", chance.choice(("00-x-y-01", "00-" + "0" * 32 + "-" + "0" * 16 + "-01", "ff")))
        )
    if chance.random() < 0.05:
        found += [(f"x-{number}", "v" * 30) for number in range(chance.choice((50, 100, 300, 3000)))]
    return found
