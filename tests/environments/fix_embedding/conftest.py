"""The environment on a real device: a worker, a warm sandbox, and a small part of the hidden text."""

import asyncio
import dataclasses
import hashlib
import threading
from collections.abc import Coroutine, Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest
from scorer.v1 import fix_embedding_pb2, result_pb2
from stage_context import Context

from scorer_service.environments.fix_embedding import environment, profiles, public_data
from scorer_service.environments.interface import Outcome
from scorer_service.environments.settings import EnvironmentSettings
from scorer_service.language import materials
from scorer_service.sandbox.native import NativeBackend
from scorer_service.worker.device_access import DeviceAccess

REPOSITORY = Path(__file__).parents[3]
SECRET = b"a secret of the tests, 32 bytes."
SCRIPT_LIMIT_S = 15.0
WINDOWS = 64
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
            secret=SECRET,
            calibration_dir=folder / "calibration",
            hidden_windows=WINDOWS,
        )
        self.environment = environment.create(self.settings)
        self.public_dir = folder / "cache" / "public"

    def run(self, work: Coroutine[Any, Any, T], limit_s: float = 180.0) -> T:
        """The result of `work`, done in the loop."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(limit_s)

    def close(self) -> None:
        self.run(self.environment.close())
        self.run(self.device.close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def score(
        self, request: fix_embedding_pb2.ScoreFixEmbeddingRequest, context: Context | None = None
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

    def score_weights(self, content: bytes, context: Context | None = None) -> Outcome:
        context = context or Context()
        return self.run(self.score(self.weights_request(content, context), context))

    def weights_request(self, content: bytes, context: Context) -> fix_embedding_pb2.ScoreFixEmbeddingRequest:
        digest = hashlib.sha256(content).hexdigest()
        path = self._folder / digest
        path.write_bytes(content)
        context.files[digest] = path
        return fix_embedding_pb2.ScoreFixEmbeddingRequest(
            weights=result_pb2.ArtifactReference(sha256=digest, size_bytes=len(content))
        )

    def score_script(self, text: str, context: Context | None = None) -> Outcome:
        return self.run(self.score(script_request(text), context))


def script_request(text: str) -> fix_embedding_pb2.ScoreFixEmbeddingRequest:
    return fix_embedding_pb2.ScoreFixEmbeddingRequest(repair_script=result_pb2.SourceFile(inline=text))


@pytest.fixture(scope="module")
def rig(tmp_path_factory: pytest.TempPathFactory, torch_python: Path) -> Iterator[Rig]:
    """The embedded profile, calibrated, on a few windows of the hidden text, with little time for scripts."""
    small = dataclasses.replace(
        profiles.EMBEDDED,
        repair=dataclasses.replace(profiles.EMBEDDED.repair, wall_limit_s=SCRIPT_LIMIT_S),
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(profiles.PROFILES, "embedded", small)
        made = Rig(tmp_path_factory.mktemp("fix_embedding"), torch_python)
        try:
            made.run(made.environment.start())
            made.run(made.environment.calibrate())
            yield made
        finally:
            made.close()


@pytest.fixture(scope="session")
def original() -> bytes:
    """The weights before they were damaged."""
    return materials.load("embedded", None).original.path.read_bytes()


@pytest.fixture
def damaged(rig: Rig) -> bytes:
    """The weights that an agent starts from."""
    return (rig.public_dir / public_data.DAMAGED_FILE).read_bytes()
