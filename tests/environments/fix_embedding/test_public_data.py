"""What an agent may see, and how the model is damaged."""

import dataclasses
import importlib.util
from pathlib import Path

import pytest

from scorer_service.environments import public_folder
from scorer_service.environments.fix_embedding import public_data
from scorer_service.language import corpus, materials, permutation, shapes
from scorer_service.language.materials import Materials, PinnedFile
from scorer_service.language.shapes import GptShape
from tests.environments.fix_embedding import weights_files
from tests.environments.fix_embedding.weights_files import Tensor

SECRET = b"s" * 32


def model(mark: int) -> bytes:
    """A file like that of the model, each row of its embedding another one."""
    tensors = {}
    for name, shape in shapes.gpt_tensors(shapes.ORIGINAL).items():
        rows = 1 if len(shape) == 1 else shape[0]
        width = shape[-1]
        row_of = [(mark + number).to_bytes(4, "little") * (width // 2) for number in range(rows)]
        tensors[name] = Tensor("F16", shape, b"".join(row_of))
    return weights_files.write(tensors)


@pytest.fixture
def found(tmp_path: Path) -> Materials:
    """Models of the tests in place of those that ship."""
    paths = []
    for name, mark in (("original", 1), ("companion", 7)):
        path = tmp_path / name
        path.write_bytes(model(mark))
        paths.append(path)
    original, companion = paths
    shipped = materials.load("embedded", None)
    return dataclasses.replace(shipped, original=PinnedFile(original, "not looked at"), companion=companion)


def filled(found: Materials, tmp_path: Path) -> dict[str, bytes]:
    folder = public_folder.folder(tmp_path / "cache")
    public_folder.fill(folder, public_data.contents(found, SECRET))
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_it_holds_the_damaged_model_and_nothing_of_the_original(found: Materials, tmp_path: Path) -> None:
    contents = filled(found, tmp_path)
    modules = {"model.py", "shapes.py", "tokenizer.py"}
    weights = {"damaged.safetensors", "companion.safetensors"}
    assert set(contents) == {*corpus.starter_files(), *modules, *weights}
    assert contents["damaged.safetensors"] == permutation.damage(model(1), SECRET)
    assert model(1) not in contents.values()


def test_no_passage_of_the_hidden_text_is_in_it(found: Materials, tmp_path: Path) -> None:
    hidden = found.hidden_causal.path.read_bytes()
    passages = [hidden[at : at + 64] for at in range(0, len(hidden) - 64, 20_000)]
    contents = filled(found, tmp_path).values()
    assert not [passage for passage in passages if any(passage in content for content in contents)]


def test_its_module_of_shapes_has_those_of_the_models_in_it(found: Materials, tmp_path: Path) -> None:
    shape = GptShape(layer_count=3, width=16, head_count=4, context_length=32, vocabulary_size=300)
    companion = dataclasses.replace(shape, layer_count=2)
    contents = filled(dataclasses.replace(found, shape=shape, companion_shape=companion), tmp_path)
    path = tmp_path / "shapes_of_the_task.py"
    path.write_bytes(contents["shapes.py"])
    spec = importlib.util.spec_from_file_location("shapes_of_the_task", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert vars(module.ORIGINAL) == vars(shape)
    assert vars(module.COMPANION) == vars(companion)


def test_without_a_secret_nothing_is_damaged(found: Materials, tmp_path: Path) -> None:
    folder = public_folder.folder(tmp_path / "cache")
    with pytest.raises(ValueError, match="seed of 0 bytes"):
        public_folder.fill(folder, public_data.contents(found, b""))
