"""Profile `paper` of both environments of language models, on what was prepared from a tiny hub."""

import asyncio
import dataclasses
import hashlib
import re
import subprocess
from collections.abc import Coroutine, Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest
import tiny_hub
from scorer.v1 import fix_embedding_pb2, restricted_mlm_pb2, result_pb2
from stage_context import Context

from scorer_service.environments import public_folder
from scorer_service.environments.fix_embedding import environment as fix_embedding
from scorer_service.environments.interface import Environment, NotServing, Outcome, Verdict
from scorer_service.environments.restricted_mlm import environment as restricted_mlm
from scorer_service.environments.settings import EnvironmentSettings
from scorer_service.language import materials, permutation
from scorer_service.language.paper import prepared
from scorer_service.language.paper.prepared import Prepared
from scorer_service.sandbox.native import NativeBackend
from scorer_service.worker.device_access import DeviceAccess

pytest.importorskip("pyarrow", reason="the extra `hub` is not installed")
pytest.importorskip("tokenizers")

PYTHON = Path(__file__).parents[2] / ".venv-torch" / "bin" / "python"
SECRET = b"a secret of the tests, 32 bytes."
LIMIT_S = 180
T = TypeVar("T")


class Served:
    """Both environments on one device, in an event loop that outlives a test."""

    def __init__(self, folder: Path, data: Prepared) -> None:
        self.data = data
        self._runner = asyncio.Runner()
        self._folder = folder
        backend = NativeBackend()
        self.device = DeviceAccess(backend, PYTHON, "cpu")
        self.settings = EnvironmentSettings(
            profile="paper",
            cache_dir=folder / "fix_embedding",
            sandbox=backend,
            device=self.device,
            secret=SECRET,
            calibration_dir=folder / "calibration",
            data_dir=data.folder.parent,
        )
        self.fix_embedding = fix_embedding.create(self.settings)
        self.restricted_mlm = restricted_mlm.create(
            dataclasses.replace(self.settings, cache_dir=folder / "restricted_mlm")
        )

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        return self._runner.run(asyncio.wait_for(work, LIMIT_S))

    def close(self) -> None:
        self.run(self.device.close())
        self._runner.close()

    def starter(self, environment: Environment, folder: Path) -> Path:
        for file in environment.starter():
            path = folder / file.path
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(file.content)
        return folder

    def score(self, environment: Environment, request: Any, *artifacts: bytes) -> Outcome:
        """Through every stage, as the scheduler does."""
        context = Context()
        for content in artifacts:
            digest = hashlib.sha256(content).hexdigest()
            context.files[digest] = self._folder / digest
            context.files[digest].write_bytes(content)
        environment.validate(request)

        async def through() -> Outcome:
            value: Any = request
            async with context.exit_stack:
                for stage in environment.stages:
                    value = await stage.run(value, context)
            assert isinstance(value, Outcome)
            return value

        return self.run(through())

    def score_weights(self, content: bytes) -> Outcome:
        digest = hashlib.sha256(content).hexdigest()
        reference = result_pb2.ArtifactReference(sha256=digest, size_bytes=len(content))
        request = fix_embedding_pb2.ScoreFixEmbeddingRequest(weights=reference)
        return self.score(self.fix_embedding, request, content)


def silent(counted: str, done: int, total: int) -> None:
    """A report that nobody reads."""


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    if not PYTHON.exists():
        pytest.skip(f"{PYTHON} is missing: `make setup` makes it, with torch and triton")
    folder = tmp_path_factory.mktemp("state")
    sources = tiny_hub.write_hub(folder / "hub")
    data = prepared.prepare(sources, folder / "data" / "paper", silent, sizes=tiny_hub.SIZES)
    made = Served(folder, data)
    try:
        made.run(made.fix_embedding.start())
        made.run(made.restricted_mlm.start())
        yield made
    finally:
        made.close()


def check(task: Path, *arguments: str) -> str:
    ended = subprocess.run(
        [PYTHON, "-B", "check.py", *arguments], cwd=task, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, (ended.stdout, ended.stderr)
    return ended.stdout


def test_the_published_anchors_serve_without_a_calibration(served: Served) -> None:
    for environment, starting_raw in ((served.fix_embedding, 2.196), (served.restricted_mlm, 1.81)):
        described = environment.describe()
        assert described.profile == "paper"
        assert described.anchors is not None
        assert described.anchors.starting_raw == starting_raw
        assert "not calibrated" not in described.description
        assert environment.canary() is None
    with pytest.raises(NotImplementedError, match="published"):
        served.run(served.restricted_mlm.calibrate())


def test_weights_of_the_prepared_model_are_judged(served: Served, tmp_path: Path) -> None:
    task = served.starter(served.fix_embedding, tmp_path)
    damaged = (task / "data" / "damaged.safetensors").read_bytes()
    outcome = served.score_weights(damaged)
    assert outcome.verdict is Verdict.SCORED, outcome.summary
    response: Any = outcome.response
    windows = tiny_hub.SIZES.hidden_causal_windows
    assert response.loss.token_count == windows * (tiny_hub.SHAPE.context_length - 1)
    # The exact inverse is the model that was prepared, byte for byte.
    original = served.data.original.read_bytes()
    assert permutation.repair(damaged, SECRET) == original != damaged
    assert served.score_weights(original).raw_score != outcome.raw_score


def test_a_starter_of_fix_embedding_fits_the_prepared_data(served: Served, tmp_path: Path) -> None:
    task = served.starter(served.fix_embedding, tmp_path)
    told = check(task, "data/damaged.safetensors")
    assert "all 40 tensors have the right names" in told
    assert "validation loss" in told
    script = (task / "repair.py").read_text().replace("SECONDS = 420\n", "SECONDS = 2\n")
    request = fix_embedding_pb2.ScoreFixEmbeddingRequest(repair_script=result_pb2.SourceFile(inline=script))
    outcome = served.score(served.fix_embedding, request)
    assert outcome.verdict is Verdict.SCORED, (outcome.summary, outcome.response)
    instructions = (task / "INSTRUCTIONS.md").read_text()
    assert f"documents begin with token {tiny_hub.SIZES.boundary_token}" in instructions
    assert ".txt" not in instructions
    assert "$" not in instructions


def test_a_starter_of_restricted_mlm_fits_the_prepared_data(served: Served, tmp_path: Path) -> None:
    task = served.starter(served.restricted_mlm, tmp_path)
    assert "all operators are allowed" in check(task)
    model = (task / "model.py").read_text()
    script = (task / "train.py").read_text().replace("SECONDS = 60\n", "SECONDS = 2\n")
    request = restricted_mlm_pb2.ScoreRestrictedMlmRequest(
        model=result_pb2.SourceFile(inline=model), training_script=result_pb2.SourceFile(inline=script)
    )
    outcome = served.score(served.restricted_mlm, request)
    assert outcome.verdict is Verdict.SCORED, (outcome.summary, outcome.response)
    response: Any = outcome.response
    # 5 windows of 128 tokens, one draw of 15 %.
    assert 5 * 19 <= response.loss.token_count <= 5 * 20
    instructions = (task / "INSTRUCTIONS.md").read_text()
    assert f"Token\n  {tiny_hub.VOCABULARY} stands in the input" in instructions
    assert f"below {tiny_hub.VOCABULARY + 1}" in instructions
    assert "$" not in instructions


def test_what_is_too_large_for_a_starter_is_found_by_scripts(
    served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    size_bytes = served.data.training.stat().st_size
    monkeypatch.setattr(public_folder, "STARTER_FILE_LIMIT_BYTES", size_bytes - 1)
    task = served.starter(served.fix_embedding, tmp_path)
    assert not (task / "data" / "training.u16").exists()
    assert (task / "data" / "validation.u16").exists()
    assert "Too large for this folder: `training.u16`" in (task / "INSTRUCTIONS.md").read_text()
    script = (
        "import os, shutil\n"
        f"assert os.path.getsize('/data/fix_embedding/training.u16') == {size_bytes}\n"
        "shutil.copyfile('/data/fix_embedding/damaged.safetensors', 'repaired.safetensors')\n"
    )
    request = fix_embedding_pb2.ScoreFixEmbeddingRequest(repair_script=result_pb2.SourceFile(inline=script))
    assert served.score(served.fix_embedding, request).verdict is Verdict.SCORED


@pytest.mark.parametrize(
    ("module", "damaged"),
    [(fix_embedding, name) for name in sorted(materials.FIX_EMBEDDING_FILES)]
    + [(restricted_mlm, name) for name in sorted(materials.RESTRICTED_MLM_FILES)],
)
def test_data_that_changed_since_they_were_prepared_are_not_served(
    served: Served, tmp_path: Path, module: Any, damaged: str
) -> None:
    folder = tmp_path / "data" / "paper"
    folder.mkdir(parents=True)
    for path in served.data.folder.iterdir():
        (folder / path.name).write_bytes(path.read_bytes())
    (folder / damaged).write_bytes(b"")
    settings = dataclasses.replace(
        served.settings,
        cache_dir=tmp_path / "cache",
        data_dir=folder.parent,
        device=DeviceAccess(NativeBackend(), PYTHON, "cpu"),
    )
    with pytest.raises(NotServing, match=rf"{re.escape(damaged)}.*scorer data prepare paper"):
        served.run(module.create(settings).start())
