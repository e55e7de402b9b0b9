"""The models that ship have the tensors and the losses that are said of them, and break no rule."""

import json
import math
import subprocess
from pathlib import Path

import pytest

from scorer_service.graph import ModelInterface, check_archive, open_archive
from scorer_service.language import corpus, permutation, shapes, shipped, tensor_file

HERE = Path(__file__).parent
LOSS_TOLERANCE_NATS = 0.005
"""Between processors and versions of torch, in float32 throughout."""
SHIPPED_LIMIT_BYTES = 25_000_000


@pytest.fixture(scope="module")
def measured(torch_python: Path) -> dict[str, float]:
    """Losses on the slice, computed now."""
    done = subprocess.run(
        [torch_python, HERE / "measure_slice.py"], check=True, capture_output=True, timeout=300
    )
    losses: dict[str, float] = json.loads(done.stdout)
    return losses


@pytest.mark.parametrize("name", shipped.MODEL_NAMES)
def test_a_model_has_the_loss_of_the_manifest(name: str, measured: dict[str, float]) -> None:
    expected = shipped.load_models()[name].losses["slice"]

    assert measured[name] == pytest.approx(expected.mean, abs=LOSS_TOLERANCE_NATS)


@pytest.mark.parametrize(("name", "shape"), [("original", shapes.ORIGINAL), ("companion", shapes.COMPANION)])
def test_a_gpt_has_the_tensors_of_the_table_in_fp16(name: str, shape: shapes.GptShape) -> None:
    table = tensor_file.table(shipped.load_models()[name].read())

    assert table == {tensor: ("F16", size) for tensor, size in shapes.gpt_tensors(shape).items()}


@pytest.mark.parametrize("name", shipped.MODEL_NAMES)
def test_a_model_is_the_one_that_was_measured(name: str) -> None:
    assert shipped.load_models()[name].read()


@pytest.mark.parametrize("name", ["starting", "reference"])
def test_a_solution_of_restricted_mlm_keeps_the_rules(name: str, torch_python: Path, tmp_path: Path) -> None:
    archive = tmp_path / "model.pt2"
    source = shipped.RESTRICTED_MLM / f"{name}_model.py"
    subprocess.run(
        [torch_python, HERE / "export_solution.py", source, archive],
        check=True,
        capture_output=True,
        timeout=300,
    )
    interface = ModelInterface(
        sequence_length=128,
        vocabulary=corpus.load_manifest().vocabulary_size,
        batch_rows=64,
        memory_limit_bytes=1 << 30,
    )

    with open_archive(archive) as opened:
        check_archive(opened, interface)


def test_repairing_the_damaged_model_gives_the_original_to_the_byte() -> None:
    whole = shipped.load_models()["original"].read()
    seed = bytes(range(32))

    damaged = permutation.damage(whole, seed)

    assert damaged != whole
    assert permutation.repair(damaged, seed) == whole


def test_losses_are_ordered_as_the_tasks_need() -> None:
    models, measurements = shipped.load_models(), shipped.measurements()

    def hidden(name: str) -> float:
        return shipped.losses(measurements[name])["hidden"].mean

    assert hidden("original") < hidden("companion") < hidden("damaged")
    assert hidden("original") < hidden("retrained") < hidden("damaged")
    assert hidden("restricted_mlm_reference") < hidden("restricted_mlm_starting") - 1
    for environment, name in (("fix_embedding", "original"), ("restricted_mlm", "restricted_mlm_reference")):
        assert models[name].losses["hidden"].mean > corpus.load_manifest().entropy_floor[environment] + 0.5


@pytest.mark.parametrize("name", shipped.MODEL_NAMES)
def test_the_hidden_split_is_long_enough(name: str) -> None:
    windows = corpus.load_manifest().splits["hidden"].token_count // 128

    deviation = shipped.load_models()[name].losses["hidden"].window_deviation

    assert deviation / math.sqrt(windows) < 0.01


def test_what_ships_stays_small() -> None:
    files = [*corpus.DATA.iterdir(), *shipped.MODELS.iterdir()]

    assert sum(file.stat().st_size for file in files) < SHIPPED_LIMIT_BYTES
