"""A double of an environment: its stages do what the test says.

The scheduler and the API must be seen in states that a real judge does not take on demand: work that waits
for the test, fails as told, or does not end. Whole jobs on the real environment are in tests/service.
"""

import asyncio
from collections.abc import Sequence
from typing import Any

from google.protobuf.message import Message
from scorer.v1 import result_pb2
from scorer.v1 import rust_codecontests_pb2 as messages

from scorer_service.environments.interface import (
    Anchors,
    Direction,
    Environment,
    EnvironmentDescription,
    FieldViolation,
    InvalidSubmission,
    Outcome,
    Stage,
    StageContext,
    StarterFile,
    Verdict,
)


def request(marker: str = "a", **context: str) -> messages.ScoreRustCodecontestsRequest:
    """A submission that the test can tell from others by its marker."""
    message = messages.ScoreRustCodecontestsRequest(
        programs=[
            messages.RustProgram(problem_id=marker, source=result_pb2.SourceFile(inline="fn main() {}"))
        ]
    )
    for name, value in context.items():
        setattr(message.context, name, value)
    return message


class ScriptedEnvironment(Environment):
    """Judges when the test lets it."""

    name = "rust_codecontests"
    request_type = messages.ScoreRustCodecontestsRequest
    response_type = messages.ScoreRustCodecontestsResponse

    def __init__(self) -> None:
        self.released = asyncio.Event()
        """Set by the test: judging ends."""
        self.begun: list[str] = []
        """Markers of the submissions whose judging began, in order."""
        self.killed: list[str] = []
        """Markers of those whose judging was cancelled."""
        self.raw_scores: dict[str, float] = {}
        """Raw score by marker; 0.5 for others."""
        self.verdicts: dict[str, Verdict] = {}
        """Verdict by marker; scored for others."""
        self.failures: dict[str, Exception | list[Exception]] = {}
        """What judging raises, by marker; of a list, one after the other until it is used up."""
        self.ended_in_build: set[str] = set()
        """Markers of the submissions that the first stage has an outcome for already."""
        self.canary_marker: str | None = None
        """Marker of the reference solution that the server is to score now and then."""
        self.left_behind: list[str] = []
        """Markers of the submissions whose delivery has not closed what they opened."""
        self.started = asyncio.Event()
        """Set when a judging begins."""

    async def start(self) -> None:
        pass

    async def close(self) -> None:
        pass

    def describe(self) -> EnvironmentDescription:
        return EnvironmentDescription(
            name=self.name,
            description="A double.",
            profile="embedded",
            device="cpu",
            raw_score_unit="share",
            direction=Direction.HIGHER,
            anchors=Anchors(0.0, 0.5),
            inline_source_limit_bytes=1000,
            source_limit_bytes=1000,
            limits=[("time", "none")],
            isolation="none",
        )

    def validate(self, request: Message) -> None:
        assert isinstance(request, messages.ScoreRustCodecontestsRequest)
        if not request.programs:
            raise InvalidSubmission([FieldViolation("programs", "is empty")])

    @property
    def stages(self) -> Sequence[Stage]:
        return [Stage("build", "build", self._build), Stage("judge", "judge", self._judge)]

    def starter(self) -> Sequence[StarterFile]:
        return [
            StarterFile("empty", b""),
            StarterFile("large", bytes(range(256)) * 10_000),
            StarterFile("bin/check", b"#!/bin/sh\n", executable=True),
        ]

    def canary(self) -> Message | None:
        return None if self.canary_marker is None else request(self.canary_marker)

    async def _build(self, value: Any, context: StageContext) -> str | Outcome:
        marker: str = value.programs[0].problem_id
        self.left_behind.append(marker)
        context.exit_stack.callback(self.left_behind.remove, marker)
        for program in value.programs:
            if program.source.HasField("artifact"):
                path = context.artifact(program.source.artifact.sha256)
                await asyncio.to_thread(path.read_bytes)
        if marker in self.ended_in_build:
            return Outcome(Verdict.BUILD_ERROR, None, "", messages.ScoreRustCodecontestsResponse())
        return marker

    async def _judge(self, marker: str, context: StageContext) -> Outcome:
        self.begun.append(marker)
        self.started.set()
        context.report(1, 2, "problems")
        try:
            await self.released.wait()
        except asyncio.CancelledError:
            self.killed.append(marker)
            raise
        failure = self.failures.get(marker)
        if isinstance(failure, list):
            failure = failure.pop(0) if failure else None
        if failure is not None:
            raise failure
        response = messages.ScoreRustCodecontestsResponse(problem_count=2, solved_count=1)
        response.problems.add(problem_id=marker, verdict=messages.PROBLEM_VERDICT_ACCEPTED)
        verdict = self.verdicts.get(marker, Verdict.SCORED)
        return Outcome(
            verdict,
            self.raw_scores.get(marker, 0.5) if verdict is Verdict.SCORED else None,
            "1 of 2 solved",
            response,
            {"secret": "test 7 failed"},
        )
