"""The environment on a real device: a worker, a warm sandbox, and a small part of the hidden text."""

import asyncio
import dataclasses
import hashlib
import threading
from collections.abc import Coroutine, Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest
from scorer.v1 import restricted_mlm_pb2, result_pb2
from stage_context import Context

from scorer_service.environments.interface import Outcome
from scorer_service.environments.restricted_mlm import environment, profiles
from scorer_service.environments.settings import EnvironmentSettings
from scorer_service.language import materials
from scorer_service.language.materials import AnchorSolutions, Solution
from scorer_service.sandbox.native import NativeBackend
from scorer_service.worker.device_access import DeviceAccess

REPOSITORY = Path(__file__).parents[3]
WINDOWS = 16
DRAWS = 6
SCRIPT_LIMIT_S = 15.0
EXPORT_LIMIT_S = 30.0
T = TypeVar("T")


class Rig:
    """A started environment, in an event loop that outlives its tests: to start it takes seconds."""

    def __init__(self, folder: Path, python: Path) -> None:
        self._folder = folder
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever)
        self._thread.start()
        self.backend = NativeBackend()
        self.device = DeviceAccess(self.backend, python, "cpu")
        self.settings = EnvironmentSettings(
            profile="embedded",
            cache_dir=folder / "cache",
            sandbox=self.backend,
            device=self.device,
            calibration_dir=folder / "calibration",
            hidden_windows=WINDOWS,
        )
        self.environment = environment.create(self.settings)
        self.public_dir = folder / "cache" / "public"

    def run(self, work: Coroutine[Any, Any, T], limit_s: float = 300.0) -> T:
        """The result of `work`, done in the loop."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(limit_s)

    def close(self) -> None:
        self.run(self.environment.close())
        self.run(self.device.close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def score(
        self, request: restricted_mlm_pb2.ScoreRestrictedMlmRequest, context: Context | None = None
    ) -> Outcome:
        """Through every stage, as the scheduler does."""
        context = context or Context()
        self.environment.validate(request)
        value: Any = request
        async with context.exit_stack:
            for stage in self.environment.stages:
                value = await stage.run(value, context)
        assert isinstance(value, Outcome)
        return value

    def score_weights(self, model: str, weights: bytes, context: Context | None = None) -> Outcome:
        context = context or Context()
        return self.run(self.score(self.weights_request(model, weights, context), context))

    def score_solution(self, solution: Solution, context: Context | None = None) -> Outcome:
        return self.score_weights(solution.model.read_text(), solution.weights.read_bytes(), context)

    def weights_request(
        self, model: str, weights: bytes, context: Context
    ) -> restricted_mlm_pb2.ScoreRestrictedMlmRequest:
        digest = hashlib.sha256(weights).hexdigest()
        path = self._folder / digest
        path.write_bytes(weights)
        context.files[digest] = path
        return restricted_mlm_pb2.ScoreRestrictedMlmRequest(
            model=result_pb2.SourceFile(inline=model),
            weights=result_pb2.ArtifactReference(sha256=digest, size_bytes=len(weights)),
        )

    def score_script(self, model: str, script: str, context: Context | None = None) -> Outcome:
        return self.run(self.score(script_request(model, script), context))


def script_request(model: str, script: str) -> restricted_mlm_pb2.ScoreRestrictedMlmRequest:
    return restricted_mlm_pb2.ScoreRestrictedMlmRequest(
        model=result_pb2.SourceFile(inline=model), training_script=result_pb2.SourceFile(inline=script)
    )


@pytest.fixture(scope="session")
def solutions() -> AnchorSolutions:
    """Those that ship."""
    found = materials.load("embedded", None).solutions
    assert found is not None
    return found


@pytest.fixture(scope="session")
def starting(solutions: AnchorSolutions) -> Solution:
    return solutions.starting


@pytest.fixture(scope="session")
def reference(solutions: AnchorSolutions) -> Solution:
    return solutions.reference


@pytest.fixture(scope="session")
def rig(tmp_path_factory: pytest.TempPathFactory, torch_python: Path) -> Iterator[Rig]:
    """The embedded profile, calibrated, on few windows of the hidden text, with little time for all."""
    embedded = profiles.EMBEDDED
    small = dataclasses.replace(
        embedded,
        draw_count=DRAWS,
        training=dataclasses.replace(
            embedded.training, wall_limit_s=SCRIPT_LIMIT_S, memory_limit_bytes=3 << 29
        ),
        export=dataclasses.replace(embedded.export, wall_limit_s=EXPORT_LIMIT_S, memory_limit_bytes=3 << 29),
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(profiles.PROFILES, "embedded", small)
        made = Rig(tmp_path_factory.mktemp("restricted_mlm"), torch_python)
        try:
            made.run(made.environment.start())
            made.run(made.environment.calibrate())
            yield made
        finally:
            made.close()
