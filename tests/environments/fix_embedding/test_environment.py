"""The environment on a real worker and in a real sandbox, on a part of the hidden text."""

import asyncio
import dataclasses
import json
import math
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from stage_context import Context

from scorer_service.environments.fix_embedding import environment, profiles
from scorer_service.environments.interface import NotServing, Outcome, Verdict, WorkerDied
from scorer_service.language import permutation, shapes
from scorer_service.worker.device_access import DeviceAccess
from tests.environments.fix_embedding import weights_files
from tests.environments.fix_embedding.conftest import (
    SCRIPT_LIMIT_S,
    SECRET,
    WINDOWS,
    Rig,
    script_request,
)
from tests.environments.fix_embedding.weights_files import Tensor

LIMIT_S = 120
COPY = """
import shutil
shutil.copyfile("/data/fix_embedding/damaged.safetensors", "repaired.safetensors")
"""
BIAS = "blocks.0.mlp_in.bias"


def normalized(rig: Rig, outcome: Outcome) -> float:
    anchors = rig.environment.describe().anchors
    assert anchors is not None
    assert outcome.raw_score is not None, outcome.summary
    return anchors.normalize(outcome.raw_score)


def refused(outcome: Outcome) -> dict[str, str]:
    assert (outcome.verdict, outcome.raw_score) == (Verdict.RULE_BROKEN, None), outcome.summary
    response: Any = outcome.response
    return {tensor.name: tensor.reason for tensor in response.refused_tensors}


def test_the_undamaged_model_scores_one_and_the_damaged_one_nothing(
    rig: Rig, original: bytes, damaged: bytes
) -> None:
    assert normalized(rig, rig.score_weights(original)) == pytest.approx(1.0)
    outcome = rig.score_weights(damaged)
    assert normalized(rig, outcome) == 0.0
    response: Any = outcome.response
    # Worse than knowing nothing at all, which would be the logarithm of the vocabulary.
    assert response.loss.mean_nats > math.log(shapes.ORIGINAL.vocabulary_size)
    assert response.loss.token_count == WINDOWS * (shapes.ORIGINAL.context_length - 1)
    assert 0 < response.loss.standard_error_nats < 0.1


def test_the_exact_inverse_permutation_is_as_good_as_the_undamaged_model(
    rig: Rig, original: bytes, damaged: bytes
) -> None:
    repaired = rig.score_weights(permutation.repair(damaged, SECRET))
    assert repaired.raw_score == rig.score_weights(original).raw_score


def test_float32_and_bfloat16_are_judged_like_float16(rig: Rig, original: bytes) -> None:
    tensors = weights_files.read(original)
    wide = {name: weights_files.as_float32(tensor) for name, tensor in tensors.items()}
    coarse = {name: weights_files.as_bfloat16(tensor) for name, tensor in tensors.items()}
    best = rig.score_weights(original).raw_score
    assert rig.score_weights(weights_files.write(wide)).raw_score == best
    assert rig.score_weights(weights_files.write(coarse)).raw_score == pytest.approx(best, abs=0.02)


def test_everything_that_does_not_fit_is_named_at_once(rig: Rig, original: bytes) -> None:
    tensors = weights_files.read(original)
    del tensors["final_norm.bias"]
    tensors["head.weight"] = tensors[shapes.EMBEDDING]
    tensors["final_norm.weight"] = weights_files.as_float64(tensors["final_norm.weight"])
    tensors[BIAS] = dataclasses.replace(tensors[BIAS], shape=(2, 256))
    assert refused(rig.score_weights(weights_files.write(tensors))) == {
        "final_norm.bias": "missing; it has shape [128]",
        "head.weight": "unknown; the model has no such tensor",
        "final_norm.weight": "dtype F64, not one of F32, F16, BF16",
        BIAS: "shape [2, 256], not [512]",
    }


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_values_that_are_not_finite_are_refused_by_the_names_of_all_their_tensors(
    rig: Rig, original: bytes, value: float
) -> None:
    tensors = weights_files.read(original)
    for name in (BIAS, "final_norm.bias"):
        tensors[name] = weights_files.with_value(tensors[name], 100, value)
    assert refused(rig.score_weights(weights_files.write(tensors))) == {
        BIAS: "not finite: 1 of 512 values",
        "final_norm.bias": "not finite: 1 of 128 values",
    }


def test_finite_weights_whose_logits_are_not_are_incorrect(rig: Rig, original: bytes) -> None:
    tensors = {
        name: weights_files.as_float32(tensor) for name, tensor in weights_files.read(original).items()
    }
    gain = tensors["final_norm.weight"]
    tensors["final_norm.weight"] = Tensor("F32", gain.shape, b"\xff\xff\x7f\x7f" * 128)
    outcome = rig.score_weights(weights_files.write(tensors))
    assert (outcome.verdict, outcome.raw_score) == (Verdict.INCORRECT, None)


def test_a_pickle_is_refused_without_being_opened(rig: Rig, original: bytes, tmp_path: Path) -> None:
    mark = tmp_path / "opened"
    payload = f"\x80\x04cos\nsystem\n(S'touch {mark}'\ntR.".encode("latin-1")
    outcome = rig.score_weights(payload + bytes(1000))
    assert refused(outcome) == {}
    assert "pickle" in outcome.summary
    assert not mark.exists()


def test_a_script_that_trains_for_some_seconds_scores_between(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = next(file for file in rig.environment.starter() if file.path == "repair.py").content.decode()
    assert "SECONDS = 420\n" in text
    started: Any = rig.environment._scoring
    # However busy the machine is, it is to come to its own end.
    patient = dataclasses.replace(started._profile.repair, wall_limit_s=150.0)
    monkeypatch.setattr(started, "_profile", dataclasses.replace(started._profile, repair=patient))
    outcome = rig.score_script(text.replace("SECONDS = 420\n", "SECONDS = 10\n"))
    assert 0 < normalized(rig, outcome) < 1, outcome.summary
    response: Any = outcome.response
    assert response.repair_time.seconds >= 10


def test_progress_and_messages_of_a_script_reach_its_author(rig: Rig) -> None:
    context = Context()
    outcome = rig.score_script(COPY + 'print("120/600 windows, loss 4.2")\nprint("and more")', context)
    assert (120, 600, "windows") in context.reports
    assert (WINDOWS, WINDOWS, "windows") in context.reports
    response: Any = outcome.response
    assert response.diagnostics == "120/600 windows, loss 4.2\nand more\n"


def test_a_script_that_fails_is_told_why(rig: Rig) -> None:
    outcome = rig.score_script(COPY + "import torch\ntorch.zeros(2) @ torch.zeros(3)")
    assert (outcome.verdict, outcome.raw_score) == (Verdict.BUILD_ERROR, None)
    response: Any = outcome.response
    assert 'File "/work/repair.py", line 5, in <module>' in response.diagnostics
    assert "RuntimeError" in response.diagnostics
    assert "/runner" not in response.diagnostics


def test_what_was_saved_is_judged_when_the_time_is_up(rig: Rig) -> None:
    outcome = rig.score_script(COPY + "import time\nwhile True:\n    time.sleep(1)")
    assert normalized(rig, outcome) == 0.0
    assert "time budget" in outcome.summary
    response: Any = outcome.response
    assert SCRIPT_LIMIT_S <= response.repair_time.seconds < 2 * SCRIPT_LIMIT_S


def test_a_script_that_saves_nothing_in_its_time_has_no_score(rig: Rig) -> None:
    outcome = rig.score_script("import time\nwhile True:\n    time.sleep(1)")
    assert (outcome.verdict, outcome.raw_score) == (Verdict.LIMIT_OR_CRASH, None)


def test_weights_of_a_script_are_held_against_the_same_table(rig: Rig) -> None:
    outcome = rig.score_script(
        "import torch\nfrom safetensors.torch import save_file\n"
        "save_file({'head': torch.zeros(1)}, 'repaired.safetensors')"
    )
    assert refused(outcome)["head"] == "unknown; the model has no such tensor"


def test_a_cancelled_judgement_ends_in_the_worker(rig: Rig, original: bytes) -> None:
    """Or it would go on computing on a core that belongs to somebody who measures."""

    async def cancel() -> float:
        context = Context()
        scoring = asyncio.create_task(rig.score(rig.weights_request(original, context), context))
        await context.began.wait()
        scoring.cancel()
        await asyncio.wait([scoring])
        assert scoring.cancelled()
        assert context.reports[-1][0] < WINDOWS
        began_s = time.monotonic()
        # Every place is free: nobody waits for what was cancelled.
        async with rig.device.gate.exclusive():
            return time.monotonic() - began_s

    assert rig.run(cancel()) < LIMIT_S
    assert rig.score_weights(original).verdict is Verdict.SCORED


def test_a_cancelled_script_is_gone(rig: Rig, tmp_path: Path) -> None:
    async def cancel() -> None:
        context = Context()
        request = script_request('print("1/2 steps")\nimport time\ntime.sleep(60)')
        scoring = asyncio.create_task(rig.score(request, context))
        await context.began.wait()
        scoring.cancel()
        await asyncio.wait([scoring])
        assert scoring.cancelled()
        async with rig.device.gate.exclusive():
            pass

    rig.run(cancel(), LIMIT_S)


def test_a_worker_that_dies_is_no_verdict(rig: Rig, original: bytes) -> None:
    async def kill() -> None:
        context = Context()
        scoring = asyncio.create_task(rig.score(rig.weights_request(original, context), context))
        await context.began.wait()
        pid = rig.device.worker.pid
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
        with pytest.raises(WorkerDied):
            await scoring

    rig.run(kill(), LIMIT_S)
    assert rig.score_weights(original).verdict is Verdict.SCORED


def test_a_floor_makes_what_is_below_it_implausible(
    rig: Rig, original: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: Any = rig.environment._scoring
    monkeypatch.setattr(started, "_profile", dataclasses.replace(started._profile, floor_nats=9.0))
    outcome = rig.score_weights(original)
    assert (outcome.verdict, outcome.raw_score) == (Verdict.IMPLAUSIBLE, None)


def test_the_canary_is_the_reference_solution(rig: Rig) -> None:
    """It is nobody's upload, so it is judged without an artifact."""
    canary: Any = rig.environment.canary()
    assert normalized(rig, rig.run(rig.score(canary))) == pytest.approx(1.0)


def test_a_calibration_is_found_again_and_belongs_to_this_damage(rig: Rig) -> None:
    path = next(Path(str(rig.settings.calibration_dir)).iterdir())
    stored = json.loads(path.read_text())
    anchors = rig.environment.describe().anchors
    assert anchors is not None
    assert stored["starting"]["raw"] == anchors.starting_raw > anchors.reference_raw
    assert "damaged model" in stored["fingerprint"]
    assert "hidden text" in stored["fingerprint"]
    assert f"; {WINDOWS} hidden windows" in stored["fingerprint"]
    rig.environment._calibration = None
    rig.run(rig.environment.start(), LIMIT_S)
    assert rig.environment.describe().anchors == anchors


@pytest.fixture
def starter(rig: Rig, tmp_path: Path) -> Path:
    for file in rig.environment.starter():
        path = tmp_path / file.path
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(file.content)
    return tmp_path


def check(python: Path | str, starter: Path, *arguments: str) -> tuple[int, str]:
    ended = subprocess.run(
        [python, "-B", "check.py", *arguments], cwd=starter, capture_output=True, text=True, check=False
    )
    assert not ended.stderr, ended.stderr
    return ended.returncode, ended.stdout


def test_the_checker_measures_the_loss_as_the_service_does(
    rig: Rig, starter: Path, torch_python: Path, original: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    (starter / "fixed.safetensors").write_bytes(original)
    text = starter / "data" / "validation.u16"
    text.write_bytes(text.read_bytes()[: 2 * WINDOWS * shapes.ORIGINAL.context_length])
    status, told = check(torch_python, starter, "fixed.safetensors")
    assert status == 0, told
    started: Any = rig.environment._scoring
    monkeypatch.setattr(started, "_hidden", text)
    outcome = rig.score_weights(original)
    response: Any = outcome.response
    assert f"validation loss {response.loss.mean_nats:.4f} nats" in told
    assert f"raw score {outcome.raw_score:.4f}" in told


def test_the_checker_needs_no_torch_for_names_and_shapes(starter: Path, original: bytes) -> None:
    status, told = check(sys.executable, starter, "data/damaged.safetensors")
    assert status == 0
    assert "torch is not installed" in told
    tensors = weights_files.read(original)
    del tensors[BIAS]
    tensors["head"] = tensors["final_norm.bias"]
    (starter / "repaired.safetensors").write_bytes(weights_files.write(tensors))
    status, told = check(sys.executable, starter)
    assert status == 1
    assert f"{BIAS}: missing" in told
    assert "head: unknown" in told


def test_the_instructions_have_no_placeholder_left(starter: Path) -> None:
    text = (starter / "INSTRUCTIONS.md").read_text()
    assert "$" not in text
    assert "normalised score 0" in text
    assert f"{profiles.EMBEDDED.parameter_count:,} parameters" in text


def test_the_paper_profile_says_what_it_needs(rig: Rig, tmp_path: Path, torch_python: Path) -> None:
    device = DeviceAccess(rig.backend, torch_python, "cpu")
    settings = dataclasses.replace(rig.settings, profile="paper", cache_dir=tmp_path, device=device)
    with pytest.raises(NotServing, match="scorer data prepare paper"):
        rig.run(environment.create(settings).start())


def test_an_unknown_profile_is_refused(rig: Rig) -> None:
    with pytest.raises(NotServing, match="choose one of embedded, paper"):
        environment.create(dataclasses.replace(rig.settings, profile="huge"))
