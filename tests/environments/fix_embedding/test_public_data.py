"""What an agent may see, and how the model is damaged."""

import stat
from pathlib import Path

import pytest

from scorer_service.environments import public_folder
from scorer_service.environments.fix_embedding import profiles, public_data
from scorer_service.language import corpus, permutation, shapes
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
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Models of the tests in place of those that ship."""
    for name, mark in (("original_weights", 1), ("companion_weights", 7)):
        path = tmp_path / name
        path.write_bytes(model(mark))
        monkeypatch.setattr(profiles, name, lambda path=path: path)
    return tmp_path


def test_the_folder_can_be_read_by_whoever_a_sandbox_runs_as(files: Path) -> None:
    folder = public_folder.folder(files)
    public_data.prepare(folder, SECRET)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o755
    assert {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == {0o644}


def test_it_holds_the_damaged_model_and_nothing_of_the_original(files: Path) -> None:
    folder = public_folder.folder(files)
    public_data.prepare(folder, SECRET)
    found = {path.name: path.read_bytes() for path in folder.iterdir()}
    modules = {"model.py", "shapes.py", "tokenizer.py"}
    weights = {"damaged.safetensors", "companion.safetensors"}
    assert set(found) == {*corpus.starter_files(), *modules, *weights}
    assert found["damaged.safetensors"] == permutation.damage(model(1), SECRET)
    assert model(1) not in found.values()


def test_no_passage_of_the_hidden_text_is_in_it(files: Path) -> None:
    folder = public_folder.folder(files)
    public_data.prepare(folder, SECRET)
    hidden = profiles.hidden_text().read_bytes()
    passages = [hidden[at : at + 64] for at in range(0, len(hidden) - 64, 20_000)]
    contents = [path.read_bytes() for path in folder.iterdir()]
    assert not [passage for passage in passages if any(passage in content for content in contents)]


def test_a_second_start_leaves_files_alone_and_mends_what_differs(files: Path) -> None:
    folder = public_folder.folder(files)
    public_data.prepare(folder, SECRET)
    before = {path.name: path.stat().st_ino for path in folder.iterdir()}
    (folder / "model.py").write_text("changed")
    (folder / "left over").write_text("of an older version")
    public_data.prepare(folder, SECRET)
    after = {path.name: path.stat().st_ino for path in folder.iterdir()}
    assert after.keys() == before.keys()
    assert {name for name in after if after[name] != before[name]} == {"model.py"}


def test_without_a_secret_nothing_is_damaged(files: Path) -> None:
    with pytest.raises(ValueError, match="seed of 0 bytes"):
        public_data.prepare(public_folder.folder(files), b"")
