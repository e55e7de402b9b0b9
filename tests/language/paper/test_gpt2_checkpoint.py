"""A GPT-2 checkpoint of the hub becomes our tensors: the same function, in fp16; anything else is refused."""

import json
import math
import subprocess
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
import tiny_hub
from tiny_hub import SHAPE, Stored

from scorer_service.language import shapes, tensor_file
from scorer_service.language.paper import gpt2_checkpoint
from scorer_service.language.paper.preparation import PreparationFailed

pytest.importorskip("pyarrow", reason="the extra `hub` is not installed")

REFERENCE = Path(__file__).parent / "gpt2_reference.py"


def converted(folder: Path, tensors: dict[str, Stored]) -> Path:
    tiny_hub.write_tensors(folder / "model.safetensors", tensors)
    destination = folder / "ours.safetensors"
    gpt2_checkpoint.convert(folder / "model.safetensors", SHAPE, destination, lambda *_: None)
    return destination


@pytest.mark.parametrize(
    "written",
    [
        {"prefix": ""},
        {"prefix": "transformer.", "masks": False},
        {"dtype": "F16"},
        {"dtype": "BF16"},
    ],
    ids=["float32", "with the prefix, without masks", "float16", "bfloat16"],
)
def test_a_converted_model_computes_what_gpt2_computes(
    written: dict[str, Any], torch_python: Path, tmp_path: Path
) -> None:
    ours = converted(tmp_path, tiny_hub.checkpoint(SHAPE, seed=3, **written))

    compared = subprocess.run(
        [torch_python, REFERENCE, tmp_path / "model.safetensors", ours, json.dumps(asdict(SHAPE))],
        check=True,
        capture_output=True,
        timeout=120,
    )

    found = json.loads(compared.stdout)
    assert found["dtypes"] == ["torch.float16"]
    assert found["embedding_exact"]
    assert found["matrix_exact"]
    assert found["deviation"] > 1.0
    assert found["largest_difference"] < 1e-3
    assert found["largest_of_rounding"] < 0.1


def test_a_converted_file_has_our_names_and_sizes_and_no_other(tmp_path: Path) -> None:
    ours = converted(tmp_path, tiny_hub.checkpoint(SHAPE))

    table = tensor_file.table(ours.read_bytes())

    assert table == {name: ("F16", size) for name, size in shapes.gpt_tensors(SHAPE).items()}


def test_a_head_that_is_the_embedding_once_more_is_left_out(tmp_path: Path) -> None:
    tensors = tiny_hub.checkpoint(SHAPE, prefix="transformer.")
    tensors["lm_head.weight"] = tensors["transformer.wte.weight"]

    ours = converted(tmp_path, tensors)

    assert set(tensor_file.table(ours.read_bytes())) == set(shapes.gpt_tensors(SHAPE))


def changed(name: str, change: Stored | None) -> dict[str, Stored]:
    tensors = tiny_hub.checkpoint(SHAPE)
    if change is None:
        del tensors[name]
    else:
        tensors[name] = change
    return tensors


def filled(size: tuple[int, ...], value: float, dtype: str = "F32") -> Stored:
    return Stored(dtype, size, tiny_hub.packed([value] * math.prod(size), dtype))


@pytest.mark.parametrize(
    ("name", "change", "words"),
    [
        ("wpe.weight", None, ("wpe.weight", "missing")),
        ("h.1.attn.c_proj.bias", filled((17,), 0.0), ("h.1.attn.c_proj.bias", "[17]", "[16]")),
        ("h.3.ln_1.bias", filled((16,), 0.0), ("h.3.ln_1.bias", "unknown")),
        ("ln_f.bias", Stored("I32", (16,), bytes(64)), ("ln_f.bias", "I32")),
        ("ln_f.bias", filled((16,), math.nan), ("ln_f.bias", "not finite")),
        ("h.0.mlp.c_fc.weight", filled((16, 64), -7e4), ("h.0.mlp.c_fc.weight", "70000", "65504")),
    ],
)
def test_another_checkpoint_is_refused(
    name: str, change: Stored | None, words: tuple[str, ...], tmp_path: Path
) -> None:
    with pytest.raises(PreparationFailed) as refused:
        converted(tmp_path, changed(name, change))

    assert all(word in str(refused.value) for word in words), refused.value
    assert "fetched again" in str(refused.value)
    assert not list(tmp_path.glob("ours*")), "nothing of it may be left"


@pytest.mark.parametrize(
    "content", [b"", b"version https://git-lfs.github.com/spec/v1\n", b"PK\x03\x04" + bytes(99)]
)
def test_a_file_that_is_no_checkpoint_is_refused(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_bytes(content)

    with pytest.raises(PreparationFailed, match=r"model\.safetensors"):
        gpt2_checkpoint.convert(tmp_path / "model.safetensors", SHAPE, tmp_path / "ours", lambda *_: None)


def test_a_checkpoint_that_was_cut_off_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    tiny_hub.write_tensors(path, tiny_hub.checkpoint(SHAPE))
    path.write_bytes(path.read_bytes()[:-100])

    with pytest.raises(PreparationFailed, match="cut off"):
        gpt2_checkpoint.convert(path, SHAPE, tmp_path / "ours", lambda *_: None)


def test_the_config_of_the_hub_is_that_of_our_architecture(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_text(json.dumps(tiny_hub.config(SHAPE)))

    gpt2_checkpoint.check_config(path, SHAPE)
    with pytest.raises(PreparationFailed, match="head_count"):
        gpt2_checkpoint.check_config(path, replace(SHAPE, head_count=2))


@pytest.mark.parametrize(
    ("member", "value"),
    [
        ("activation_function", "relu"),
        ("layer_norm_epsilon", 1e-6),
        ("scale_attn_by_inverse_layer_idx", True),
        ("n_inner", 40),
        ("model_type", "gpt_neo"),
        ("n_embd", None),
    ],
)
def test_a_model_that_computes_something_else_is_refused(member: str, value: Any, tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_text(json.dumps(tiny_hub.config(SHAPE) | {member: value}))

    with pytest.raises(PreparationFailed):
        gpt2_checkpoint.check_config(path, SHAPE)
