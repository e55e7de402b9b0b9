"""Spans of stages, and of their waits for a lane."""

import contextlib
from collections.abc import AsyncIterator, Sequence
from typing import Any

from scorer_service.environments.interface import Environment, Stage, StageContext
from scorer_service.scheduling.lane import Lane
from scorer_service.tracing.forwarding import Forwarding
from scorer_service.tracing.spans import Spans

STAGE = "scorer.stage"
LANE = "scorer.lane"


class TracedEnvironment(Forwarding):
    """An `Environment` with a span for each stage."""

    inner: Environment

    def __init__(self, environment: Environment, spans: Spans) -> None:
        super().__init__(environment)
        self.stages: Sequence[Stage] = [_traced(stage, spans) for stage in environment.stages]


def _traced(stage: Stage, spans: Spans) -> Stage:
    async def traced(value: Any, context: StageContext) -> Any:
        with spans.within(f"stage {stage.name}", {STAGE: stage.name, LANE: stage.lane}):
            return await stage.run(value, context)

    return Stage(stage.name, stage.lane, traced)


class TracedLane(Forwarding):
    """A `Lane` with a span for each wait."""

    inner: Lane

    def __init__(self, lane: Lane, spans: Spans) -> None:
        super().__init__(lane)
        self._spans = spans

    @contextlib.asynccontextmanager
    async def place(self) -> AsyncIterator[None]:
        """See `Lane.place`."""
        async with contextlib.AsyncExitStack() as stack:
            waiting = self._spans.begin(f"wait for lane {self.inner.name}", {LANE: self.inner.name})
            with self._spans.ending(waiting):
                await stack.enter_async_context(self.inner.place())
            yield
