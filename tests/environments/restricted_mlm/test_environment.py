"""The environment on a real worker and in a real sandbox, on a part of the hidden text."""

import asyncio
import dataclasses
import json
import math
import os
import signal
import struct
import time
from pathlib import Path
from typing import Any

import pytest
from stage_context import Context

from scorer_service.environments.interface import NotServing, Outcome, Verdict, WorkerDied
from scorer_service.environments.restricted_mlm import environment, profiles
from scorer_service.language import corpus
from scorer_service.language.materials import Solution
from scorer_service.worker.device_access import DeviceAccess
from tests.environments.fix_embedding.weights_files import Tensor
from tests.environments.restricted_mlm import models
from tests.environments.restricted_mlm.conftest import DRAWS, WINDOWS, Rig, script_request

LIMIT_S = 240
MASK_NOISE = 0.3
"""Of a normalised score: the masks are others each time, of few windows."""
SAVE = """
import torch, safetensors.torch, model
torch.manual_seed(1)
safetensors.torch.save_file(model.get_model().state_dict(), "weights.safetensors")
"""

BIGRAMS = """import torch
from torch import nn

class Bigrams(nn.Module):
    def __init__(self):
        super().__init__()
        self.after = nn.Embedding(4096, 4096)

    def forward(self, tokens):
        return self.after(torch.nn.functional.pad(tokens[:, :-1], (1, 0)))

def get_model():
    return Bigrams()
"""
COUNT_BIGRAMS = """
import torch
from safetensors.torch import save_file
raw = bytearray(open("/data/restricted_mlm/training.u16", "rb").read())
tokens = torch.frombuffer(raw, dtype=torch.uint16).long()
pairs = torch.bincount(tokens[:-1] * 4096 + tokens[1:], minlength=4096**2).view(4096, 4096).float()
single = torch.bincount(tokens, minlength=4096).float() + 0.5
single /= single.sum()
after = (pairs + 50 * single) / (pairs.sum(dim=1, keepdim=True) + 50)
save_file({"after.weight": after.log().half()}, "weights.safetensors")
print("1/1 tables")
"""


def normalized(rig: Rig, outcome: Outcome) -> float:
    anchors = rig.environment.describe().anchors
    assert anchors is not None
    assert outcome.raw_score is not None, (outcome.summary, outcome.response)
    return anchors.normalize(outcome.raw_score)


def refused(outcome: Outcome) -> dict[str, tuple[int, str]]:
    """Operator -> line and reason."""
    assert (outcome.verdict, outcome.raw_score) == (Verdict.RULE_BROKEN, None), outcome
    response: Any = outcome.response
    return {part.operator: (part.line, part.reason) for part in response.refused_operators}


def diagnostics(outcome: Outcome) -> str:
    response: Any = outcome.response
    return str(response.diagnostics)


def test_the_starting_solution_scores_nothing_and_the_reference_one(
    rig: Rig, starting: Solution, reference: Solution
) -> None:
    assert normalized(rig, rig.score_solution(starting)) == pytest.approx(0, abs=MASK_NOISE)
    outcome = rig.score_solution(reference)
    assert normalized(rig, outcome) == pytest.approx(1, abs=MASK_NOISE)
    response: Any = outcome.response
    assert response.loss.token_count == pytest.approx(WINDOWS * DRAWS * 128 * 0.15, rel=0.02)
    assert 0 < response.loss.standard_error_nats < 0.3


def test_an_honest_model_between_the_anchors_is_trained_and_scored(rig: Rig) -> None:
    context = Context()
    outcome = rig.score_script(BIGRAMS, COUNT_BIGRAMS, context)
    assert 0.1 < normalized(rig, outcome) < 1
    assert (1, 1, "tables") in context.reports
    assert (WINDOWS * DRAWS, WINDOWS * DRAWS, "windows") in context.reports
    assert diagnostics(outcome) == "1/1 tables\n"
    response: Any = outcome.response
    assert response.training_time.ToTimedelta().total_seconds() > 0


REFUSED = {
    "x = x / 2": "aten.div.Tensor",
    "x = x / self.head.bias[:8]": "aten.div.Tensor",
    "x = 1 / x": "aten.reciprocal.default",
    "x = torch.true_divide(x, self.head.bias[:8])": "aten.true_divide.Tensor",
    "x = x // 2": "aten.floor_divide.default",
    "x = x % 2": "aten.remainder.Scalar",
    "x = x.exp()": "aten.exp.default",
    "x = torch.log(x * x + 1)": "aten.log.default",
    "x = x ** 2": "aten.pow.Tensor_Scalar",
    "x = x.softmax(-1)": "aten.softmax.int",
    "x = functional.log_softmax(x, -1)": "aten.log_softmax.int",
    "x = x * x.mean()": "aten.mean.default",
    "x = x * (x > 0)": "aten.gt.Scalar",
    "x = torch.where(x.bool(), x, x)": "aten.where.self",
    "x = torch.maximum(x, -x)": "aten.maximum.default",
    "x = x.clamp(-1, 1)": "aten.clamp.default",
    "x = x.abs()": "aten.abs.default",
    "x = torch.special.expit(x)": "aten.special_expit.default",
    "x = functional.silu(x)": "aten.silu.default",
    "x = functional.gelu(x)": "aten.gelu.default",
    "x = functional.layer_norm(x, (8,))": "aten.layer_norm.default",
    "x = torch.ops.aten.tanh.default(x)": "aten.tanh.default",
    "x = getattr(torch, 'sig' + 'moid')(x)": "aten.sigmoid.default",
    "x = torch.linalg.vector_norm(x, dim=-1, keepdim=True) + x": "aten.linalg_vector_norm.default",
    "x = x.as_strided((x.shape[0], 128, 8), (1024, 8, 1))": "aten.as_strided.default",
    "x = x.view(torch.int32).float() + x": "aten.view.dtype",
    "x = torch.rand_like(x) + x": "aten.rand_like.default",
    "x = functional.scaled_dot_product_attention(x, x, x)": "aten.scaled_dot_product_attention.default",
}


def test_every_refused_spelling_names_its_operator_and_its_line(rig: Rig) -> None:
    """All of a model at once."""
    outcome = rig.score_weights(models.source(*REFUSED), models.weights())
    assert (outcome.verdict, outcome.raw_score) == (Verdict.RULE_BROKEN, None), outcome
    response: Any = outcome.response
    named = {(part.line, part.operator) for part in response.refused_operators}
    wanted = {(models.FIRST_LINE_OF_BODY + at, operator) for at, operator in enumerate(REFUSED.values())}
    assert wanted <= named, wanted - named
    assert {part.file for part in response.refused_operators} == {"model.py"}
    assert all(part.reason for part in response.refused_operators)
    assert "aten.div.Tensor in model.py line 14" in outcome.summary


@pytest.mark.parametrize("value", [math.nan, math.inf, 65_000.0 * 2])
def test_weights_that_are_not_finite_or_too_large_are_refused_by_name(rig: Rig, value: float) -> None:
    numbers = [0.0] * 4095 + [value]
    bias = Tensor("F32", (4096,), struct.pack("<4096f", *numbers))
    found = refused(rig.score_weights(models.source(), models.weights({"head.bias": bias})))
    assert "finite and at most 65536" in found["weight 'head.bias'"][1]


@pytest.mark.parametrize(
    ("returned", "part", "words"),
    [
        ("self.head(x).transpose(1, 2)", "output", "shape [batch, 4096, 128]"),
        ("self.head(x)[:, :, :4095]", "output", "shape [batch, 128, 4095]"),
        ("tokens.unsqueeze(2).expand(-1, -1, 4096)", "output", "is int64"),
        ("(self.head(x), x)", "signature (user_output)", "one tensor"),
        ("self.head(x.sum(dim=0, keepdim=True)) + self.head(x)", "aten.sum.dim_IntList", "batch"),
        ("self.head(x.flip(0))", "aten.flip.default", "batch"),
    ],
)
def test_logits_of_another_kind_and_rows_that_mix_are_refused(
    rig: Rig, returned: str, part: str, words: str
) -> None:
    found = refused(rig.score_weights(models.source(returned=returned), models.weights()))
    assert words in found[part][1]


def test_weights_that_do_not_fit_are_all_named(rig: Rig) -> None:
    tensors = models.tensors()
    outcome = rig.score_weights(
        models.source(),
        models.weights(
            {"head.bias": None, "more": tensors["head.bias"], "head.weight": tensors["head.bias"]}
        ),
    )
    assert (outcome.verdict, outcome.raw_score) == (Verdict.BUILD_ERROR, None)
    told = diagnostics(outcome)
    assert "head.bias: missing; it has shape [4096]" in told
    assert "more: unknown" in told
    assert "head.weight: shape [4096], not [4096, 8]" in told


def test_tied_weights_are_needed_once(rig: Rig) -> None:
    tied = models.source("self.head.weight = self.embedding.weight").replace(
        "        self.head = nn.Linear(8, 4096)\n",
        "        self.head = nn.Linear(8, 4096)\n        self.head.weight = self.embedding.weight\n",
    )
    tied = tied.replace("        self.head.weight = self.embedding.weight\n        return", "        return")
    outcome = rig.score_weights(tied, models.weights({"head.weight": None}))
    assert outcome.verdict is Verdict.SCORED, outcome


def test_a_checkpoint_of_torch_is_not_opened(rig: Rig) -> None:
    payload = b"\x80\x04cos\nsystem\n(S'touch /work/opened'\ntR." + bytes(100)
    outcome = rig.score_weights(models.source(), payload)
    assert outcome.verdict is Verdict.BUILD_ERROR
    assert "weights.safetensors is no safetensors file" in diagnostics(outcome)


@pytest.mark.parametrize(
    ("model", "words"),
    [
        ("import torch\n1 / 0\n", 'File "/work/model.py", line 2'),
        ("def get_model(:\n", "SyntaxError"),
        ("def make():\n    pass\n", "defines no function get_model or get_trained_model"),
        ("def get_model():\n    return 5\n", "get_model in model.py returned int, not a torch.nn.Module"),
        (models.source("raise ValueError('as it is')"), 'File "/work/model.py", line 14, in forward'),
        (models.source("x = x * tokens.sum().item()", "if x.sum() > 0: x = x + 1"), "model.py"),
        (models.source(returned="self.head(x)") + "\nimport os\nos._exit(0)\n", ""),
    ],
    ids=["import", "syntax", "nothing", "no module", "forward", "values", "exit"],
)
def test_a_model_that_cannot_be_exported_is_told_why(rig: Rig, model: str, words: str) -> None:
    outcome = rig.score_weights(model, models.weights())
    assert (outcome.verdict, outcome.raw_score) == (Verdict.BUILD_ERROR, None), outcome
    assert words in diagnostics(outcome)
    assert "/runner" not in diagnostics(outcome)


def test_a_solution_of_the_published_benchmark_is_found_by_its_own_name(rig: Rig) -> None:
    model = models.source().replace("def get_model", "def get_trained_model")
    assert rig.score_weights(model, models.weights()).verdict is Verdict.SCORED


def test_changes_in_place_are_judged_as_what_they_compute(rig: Rig) -> None:
    model = models.source("x += 1", "x[:, 1:] = x[:, :-1] * 2", "x = nn.ReLU(inplace=True)(x)")
    assert rig.score_weights(model, models.weights()).verdict is Verdict.SCORED


def test_a_model_that_lives_on_rounding_is_refused(rig: Rig, starting: Solution) -> None:
    """`lost` is nothing in float32, and ruins every logit in exact arithmetic."""
    lines = (
        "grown = (stream * 0.0 + 65536.0) * 1024.0",
        "lost = (stream + grown) - grown",
        "return self.head(1000.0 * lost + stream",
    )
    source = starting.model.read_text().replace("return self.head(stream", "\n        ".join(lines))
    outcome = rig.score_weights(source, starting.weights.read_bytes())
    assert (outcome.verdict, outcome.raw_score) == (Verdict.RULE_BROKEN, None)
    assert "rounding of float32" in outcome.summary


def test_numbers_out_of_range_are_incorrect(rig: Rig) -> None:
    outcome = rig.score_weights(
        models.source(*["x = x * 65536.0"] * 12, "x = torch.relu(x) * 0.0"), models.weights()
    )
    assert (outcome.verdict, outcome.raw_score) == (Verdict.INCORRECT, None), outcome
    assert "model.py:" in outcome.summary


def test_what_was_saved_is_judged_when_the_time_is_up(rig: Rig, starting: Solution) -> None:
    script = SAVE + "import time\nwhile True:\n    time.sleep(1)"
    outcome = rig.score_script(starting.model.read_text(), script)
    assert outcome.verdict is Verdict.SCORED
    assert "time budget" in outcome.summary
    response: Any = outcome.response
    assert response.training_time.seconds >= 15


@pytest.fixture
def short_export(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    started: Any = rig.environment._scoring
    short = dataclasses.replace(started._profile.export, wall_limit_s=4.0)
    monkeypatch.setattr(started, "_profile", dataclasses.replace(started._profile, export=short))


@pytest.mark.usefixtures("short_export")
def test_an_export_that_hangs_ends_with_its_budget(rig: Rig) -> None:
    outcome = rig.score_weights("while True:\n    pass\n", models.weights())
    assert (outcome.verdict, outcome.raw_score) == (Verdict.LIMIT_OR_CRASH, None)
    assert "time budget" in outcome.summary


@pytest.mark.parametrize("where", ["model", "script"])
def test_a_memory_bomb_passes_its_limit(rig: Rig, where: str) -> None:
    bomb = "import torch\nkept = []\nwhile True:\n    kept.append(torch.ones(1 << 24))\n"
    if where == "model":
        outcome = rig.score_weights(bomb, models.weights())
    else:
        outcome = rig.score_script(models.source(), bomb)
    assert (outcome.verdict, outcome.raw_score) == (Verdict.LIMIT_OR_CRASH, None)
    assert "memory limit" in outcome.summary


@pytest.mark.parametrize(
    ("script", "verdict", "words"),
    [
        ("print('no weights')", Verdict.BUILD_ERROR, "left no file weights.safetensors"),
        ("import torch\ntorch.zeros(2) @ torch.zeros(3)", Verdict.BUILD_ERROR, "exit code 1"),
        ("import os\nos.symlink('/etc/passwd', 'weights.safetensors')", Verdict.RULE_BROKEN, "symlink"),
    ],
)
def test_a_script_without_weights_has_no_score(rig: Rig, script: str, verdict: Verdict, words: str) -> None:
    outcome = rig.score_script(models.source(), script)
    assert (outcome.verdict, outcome.raw_score) == (verdict, None)
    assert words in outcome.summary


def test_a_cancelled_judgement_ends_in_the_worker(rig: Rig, starting: Solution) -> None:
    """Or it would go on computing on a core that belongs to somebody who measures."""

    async def cancel() -> float:
        context = Context()
        request = rig.weights_request(starting.model.read_text(), starting.weights.read_bytes(), context)
        scoring = asyncio.create_task(rig.score(request, context))
        await context.began.wait()
        scoring.cancel()
        await asyncio.wait([scoring])
        assert scoring.cancelled()
        assert context.reports[-1][0] < WINDOWS * DRAWS
        began_s = time.monotonic()
        # Every place is free: nobody waits for what was cancelled.
        async with rig.device.gate.exclusive():
            return time.monotonic() - began_s

    assert rig.run(cancel()) < LIMIT_S
    assert rig.score_solution(starting).verdict is Verdict.SCORED


def test_a_cancelled_script_is_gone(rig: Rig) -> None:
    async def cancel() -> None:
        context = Context()
        request = script_request(models.source(), 'print("1/2 steps")\nimport time\ntime.sleep(60)')
        scoring = asyncio.create_task(rig.score(request, context))
        await context.began.wait()
        scoring.cancel()
        await asyncio.wait([scoring])
        assert scoring.cancelled()
        async with rig.device.gate.exclusive():
            pass

    rig.run(cancel(), LIMIT_S)


def test_a_worker_that_dies_is_no_verdict(rig: Rig, starting: Solution) -> None:
    async def kill() -> None:
        context = Context()
        request = rig.weights_request(starting.model.read_text(), starting.weights.read_bytes(), context)
        scoring = asyncio.create_task(rig.score(request, context))
        await context.began.wait()
        pid = rig.device.worker.pid
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
        with pytest.raises(WorkerDied):
            await scoring

    rig.run(kill(), LIMIT_S)
    assert rig.score_solution(starting).verdict is Verdict.SCORED


def test_a_floor_makes_what_is_below_it_implausible(
    rig: Rig, starting: Solution, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: Any = rig.environment._scoring
    monkeypatch.setattr(started, "_profile", dataclasses.replace(started._profile, floor_nats=9.0))
    outcome = rig.score_solution(starting)
    assert (outcome.verdict, outcome.raw_score) == (Verdict.IMPLAUSIBLE, None)


def test_a_model_that_is_too_slow_has_no_score(
    rig: Rig, starting: Solution, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: Any = rig.environment._scoring
    monkeypatch.setattr(started, "_profile", dataclasses.replace(started._profile, judging_limit_s=0.001))
    outcome = rig.score_solution(starting)
    assert (outcome.verdict, outcome.raw_score) == (Verdict.LIMIT_OR_CRASH, None)


def test_the_canary_is_the_reference_solution(rig: Rig) -> None:
    """It is nobody's upload, so it is judged without an artifact."""
    canary: Any = rig.environment.canary()
    assert normalized(rig, rig.run(rig.score(canary))) == pytest.approx(1.0, abs=MASK_NOISE)


def test_a_calibration_is_found_again_and_belongs_to_text_and_solutions(rig: Rig) -> None:
    path = next(Path(str(rig.settings.calibration_dir)).iterdir())
    stored = json.loads(path.read_text())
    anchors = rig.environment.describe().anchors
    assert anchors is not None
    assert stored["starting"]["raw"] == anchors.starting_raw > anchors.reference_raw
    for part in ("starting solution", "reference solution", "hidden text", f"; {WINDOWS} hidden windows"):
        assert part in stored["fingerprint"]
    rig.environment._calibration = None
    rig.run(rig.environment.start(), LIMIT_S)
    assert rig.environment.describe().anchors == anchors


def test_the_paper_profile_says_what_it_needs(rig: Rig, tmp_path: Path, torch_python: Path) -> None:
    device = DeviceAccess(rig.backend, torch_python, "cpu")
    settings = dataclasses.replace(rig.settings, profile="paper", cache_dir=tmp_path, device=device)
    with pytest.raises(NotServing, match="scorer data prepare paper"):
        rig.run(environment.create(settings).start())


def test_an_unknown_profile_is_refused(rig: Rig) -> None:
    with pytest.raises(NotServing, match="choose one of embedded, paper"):
        environment.create(dataclasses.replace(rig.settings, profile="huge"))


def test_the_floor_is_that_of_the_text() -> None:
    assert corpus.load_manifest().entropy_floor["restricted_mlm"] == profiles.EMBEDDED.floor_nats
