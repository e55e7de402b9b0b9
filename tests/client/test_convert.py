"""`scorer-client convert`: checkpoints become safetensors, on the agent's own machine."""

import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from scorer_client import main as main_module
from scorer_client._safetensors_file import read_table
from scorer_client.main import main

REPOSITORY = Path(__file__).parents[2]
_CLIENT_NEEDS = ("grpc", "google", "typing_extensions")


def torch_python() -> Path:
    if named := os.environ.get("SCORER_TORCH_PYTHON"):
        return Path(named)
    made = REPOSITORY / ".venv-torch" / "bin" / "python"
    if made.exists():
        return made
    pytest.skip("no interpreter with torch: `make setup` makes .venv-torch, or set SCORER_TORCH_PYTHON")


class TorchProcess:
    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process

    def run(self, folder: Path, code: str) -> Any:
        return self._ask(cwd=str(folder), code=code)

    def convert(self, folder: Path, *arguments: object) -> tuple[int, str, str]:
        argv = ["convert", *(str(argument) for argument in arguments)]
        status, out, err = self._ask(cwd=str(folder), argv=argv)
        return status, out, err

    def _ask(self, **request: object) -> Any:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        assert line, "the process with torch ended"
        return json.loads(line)


@pytest.fixture(scope="module")
def torch(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TorchProcess]:
    """Torch's own interpreter, to which this one lends what the client needs, and nothing else."""
    python = torch_python()
    lent = tmp_path_factory.mktemp("lent")
    for name in _CLIENT_NEEDS:
        found = importlib.util.find_spec(name)
        assert found is not None
        locations = found.submodule_search_locations
        path = Path(next(iter(locations)) if locations else str(found.origin))
        (lent / path.name).symlink_to(path)
    environ = {**os.environ, "PYTHONPATH": f"{REPOSITORY / 'clients/python/src'}:{lent}"}
    probe = "import sys, grpc, google.protobuf; print(sys.version_info[:2])"
    version = subprocess.run([python, "-c", probe], env=environ, capture_output=True, text=True, check=False)
    if version.returncode:
        pytest.skip(f"{python} cannot import this interpreter's grpcio")
    with subprocess.Popen(
        [python, Path(__file__).with_name("torch_process.py")],
        env=environ,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        yield TorchProcess(process)
        assert process.stdin is not None
        process.stdin.close()


# Read by the package of that name, so that our own writer is not its own judge.
READ = """
from safetensors.torch import load_file
answer = {name: [str(t.dtype), list(t.shape), t.double().flatten().tolist()]
          for name, t in load_file("w.safetensors").items()}
"""


def test_every_dtype_and_shape_is_written_as_it_is(torch: TorchProcess, tmp_path: Path) -> None:
    torch.run(
        tmp_path,
        """
base = torch.arange(24.0).reshape(4, 6)
torch.save({
    "a.float": base, "b.half": base.half() / 7, "c.brain": base.bfloat16(), "d.double": base.double(),
    "e.long": torch.tensor([-(2 ** 40), 3]), "f.bool": torch.tensor([True, False, True]),
    "g.scalar": torch.tensor(2.5), "h.empty": torch.zeros(0, 3), "i.column": base[:, 1],
    "j.transposed": base.t(), "k.byte": torch.tensor([255], dtype=torch.uint8),
}, "w.pth")
""",
    )
    status, out, err = torch.convert(tmp_path, "w.pth")
    assert (status, err) == (0, "")
    assert out.splitlines()[:4] == [
        "tensor        dtype  shape",
        "a.float       F32    4 x 6",
        "b.half        F16    4 x 6",
        "c.brain       BF16   4 x 6",
    ]
    assert "g.scalar      F32    scalar\n" in out
    assert out.endswith("to w.safetensors\n")
    expected = torch.run(
        tmp_path,
        "answer = {n: [str(t.dtype), list(t.shape), t.double().flatten().tolist()]"
        ' for n, t in torch.load("w.pth").items()}',
    )
    assert torch.run(tmp_path, READ) == expected
    assert len(expected) == 11
    # Dense, aligned, and readable by whoever could read other files.
    assert read_table(tmp_path / "w.safetensors")["i.column"].shape == (4,)
    assert (tmp_path / "w.safetensors").stat().st_mode & 0o777 == (tmp_path / "w.pth").stat().st_mode & 0o777


def test_old_checkpoints_are_read_too(torch: TorchProcess, tmp_path: Path) -> None:
    torch.run(tmp_path, 'torch.save({"a": torch.ones(2)}, "w.pt", _use_new_zipfile_serialization=False)')
    assert torch.convert(tmp_path, "w.pt")[0] == 0
    assert torch.run(tmp_path, READ) == {"a": ["torch.float32", [2], [1.0, 1.0]]}


def test_prefixes_of_wrappers_go_and_tied_tensors_stay(torch: TorchProcess, tmp_path: Path) -> None:
    torch.run(
        tmp_path,
        """
tied = torch.ones(3, 2)
torch.save({"module.transformer.wte.weight": tied, "module.transformer.h.0.b": torch.zeros(1),
            "module.lm_head.weight": tied}, "w.pth")
torch.save({"transformer.a": tied, "model.b": tied}, "mixed.pth")
""",
    )
    status, _, err = torch.convert(tmp_path, "w.pth")
    assert status == 0
    assert "lm_head.weight is the same tensor as wte.weight: both are written" in err
    ones = ["torch.float32", [3, 2], [1.0] * 6]
    assert torch.run(tmp_path, READ) == {
        "wte.weight": ones,
        "h.0.b": ["torch.float32", [1], [0.0]],
        "lm_head.weight": ones,
    }
    assert torch.convert(tmp_path, "mixed.pth")[0] == 0
    assert set(read_table(tmp_path / "mixed.safetensors")) == {"transformer.a", "model.b"}


def test_the_state_dict_is_found_in_what_training_scripts_save(torch: TorchProcess, tmp_path: Path) -> None:
    torch.run(
        tmp_path,
        """
a = {"a": torch.ones(1)}
torch.save({"model_state_dict": a, "optimizer": {"x": torch.ones(1)}, "epoch": 3}, "w.pth")
torch.save({"weights": a, "epoch": 3}, "single.pth")
torch.save({"one": a, "two": a}, "several.pth")
torch.save({"epoch": 3}, "none.pth")
torch.save([torch.ones(1)], "list.pth")
torch.save({"a": torch.ones(1), "epoch": 3}, "extra.pth")
""",
    )
    assert torch.convert(tmp_path, "w.pth")[0] == 0
    assert torch.run(tmp_path, READ) == {"a": ["torch.float32", [1], [1.0]]}
    assert torch.convert(tmp_path, "single.pth")[0] == 0
    for name, words in (
        ("several.pth", "has several: one, two"),
        ("none.pth", "has none"),
        ("list.pth", "holds a list"),
    ):
        status, out, err = torch.convert(tmp_path, name)
        assert (status, out) == (2, "")
        assert words in err
        assert "torch.save(model.state_dict(), PATH)" in err
    status, _, err = torch.convert(tmp_path, "extra.pth")
    assert status == 0
    assert "left out, as they are no tensors: epoch" in err


def test_a_whole_module_needs_trust(torch: TorchProcess, tmp_path: Path) -> None:
    (tmp_path / "my_network.py").write_text("import torch\nclass Net(torch.nn.Linear): pass\n")
    torch.run(
        tmp_path,
        """
import sys
sys.path.insert(0, ".")
import my_network
torch.save(my_network.Net(2, 1), "w.pth")
sys.path.remove(".")
del sys.modules["my_network"]
""",
    )
    status, out, err = torch.convert(tmp_path, "w.pth")
    assert (status, out) == (2, "")
    assert "--trust, which runs whatever code is in it" in err
    assert not (tmp_path / "w.safetensors").exists()
    status, _, err = torch.convert(tmp_path, "w.pth", "--trust")
    assert (status, err) == (0, "")
    assert set(torch.run(tmp_path, READ)) == {"weight", "bias"}
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    torch.run(elsewhere, 'import sys; sys.modules.pop("my_network"); sys.path.remove(sys.path[0])')
    status, _, err = torch.convert(elsewhere, tmp_path / "w.pth", "--trust", "-o", "w.safetensors")
    assert status == 2
    assert "needs code that is not here (No module named 'my_network')" in err


def test_nothing_in_a_checkpoint_runs_without_trust(torch: TorchProcess, tmp_path: Path) -> None:
    torch.run(
        tmp_path,
        """
import pathlib, pickle
class Evil:
    def __reduce__(self):
        return pathlib.Path.touch, (pathlib.Path("ran"),)
torch.save({"a": torch.ones(1), "b": Evil()}, "w.pth")
pathlib.Path("plain.pth").write_bytes(pickle.dumps(Evil()))
""",
    )
    for name in ("w.pth", "plain.pth"):
        assert torch.convert(tmp_path, name)[0] == 2
    assert not (tmp_path / "ran").exists()


def test_conv1d_is_transposed_only_when_asked(torch: TorchProcess, tmp_path: Path) -> None:
    torch.run(
        tmp_path,
        """
torch.save({"h.0.attn.c_attn.weight": torch.arange(6.0).reshape(2, 3), "wte.weight": torch.ones(2, 3)},
           "w.pth")
torch.save({"a": torch.ones(2, 3)}, "none.pth")
""",
    )
    assert torch.convert(tmp_path, "w.pth")[0] == 0
    assert torch.run(tmp_path, READ)["h.0.attn.c_attn.weight"][1:] == [[2, 3], [0, 1, 2, 3, 4, 5]]
    assert torch.convert(tmp_path, "w.pth", "--transpose-conv1d", "--force")[0] == 0
    tensors = torch.run(tmp_path, READ)
    assert tensors["h.0.attn.c_attn.weight"][1:] == [[3, 2], [0, 3, 1, 4, 2, 5]]
    assert tensors["wte.weight"][1] == [2, 3]
    status, _, err = torch.convert(tmp_path, "none.pth", "--transpose-conv1d")
    assert status == 2
    assert "nothing to transpose" in err


def test_names_and_shapes_of_another_file_are_kept_to(torch: TorchProcess, tmp_path: Path) -> None:
    torch.run(
        tmp_path,
        """
torch.save({"wte.weight": torch.ones(3, 2), "h.0.attn.c_attn.weight": torch.ones(2, 6)}, "starter.pth")
tied = torch.zeros(3, 2)
torch.save({"net.wte.weight": tied, "net.h.0.attn.c_attn.weight": torch.zeros(6, 2),
            "net.h.0.attn.mask": torch.ones(4, 4).bool(), "head.weight": tied}, "w.pth")
torch.save({"wte.weight": torch.ones(5, 2)}, "wrong.pth")
torch.save({"x.wte.weight": tied, "y.wte.weight": tied, "c_attn.weight": tied}, "twice.pth")
""",
    )
    assert torch.convert(tmp_path, "starter.pth")[0] == 0
    starter = ("--names-from", "starter.safetensors")
    status, _, err = torch.convert(tmp_path, "w.pth", *starter)
    assert status == 2
    assert "h.0.attn.c_attn.weight: has the shape [6, 2], not [2, 6], which --transpose-conv1d makes" in err
    status, _, err = torch.convert(tmp_path, "w.pth", *starter, "--transpose-conv1d")
    assert status == 0
    assert read_table(tmp_path / "w.safetensors") == read_table(tmp_path / "starter.safetensors")
    assert "left out, as --names-from has no use for them: net.h.0.attn.mask, head.weight" in err
    assert "same tensor" not in err
    status, _, err = torch.convert(tmp_path, "wrong.pth", *starter)
    assert status == 2
    assert "wte.weight: has the shape [5, 2], not [3, 2]\n" in err
    assert "h.0.attn.c_attn.weight: missing\n" in err
    status, _, err = torch.convert(tmp_path, "twice.pth", *starter)
    assert "wte.weight: could be x.wte.weight or y.wte.weight" in err


def test_a_text_gives_new_names(torch: TorchProcess, tmp_path: Path) -> None:
    torch.run(tmp_path, 'torch.save({"a": torch.ones(1), "b": torch.zeros(1), "c": torch.ones(2)}, "w.pth")')
    names = tmp_path / "names.txt"
    names.write_text("# what the starter calls them\na  first.weight\n\nb\n")
    assert torch.convert(tmp_path, "w.pth", "--names-from", names)[0] == 0
    assert torch.run(tmp_path, READ) == {
        "first.weight": ["torch.float32", [1], [1.0]],
        "b": ["torch.float32", [1], [0.0]],
    }
    for text, words in (
        ("a b c\n", "names.txt, line 1: more than two names"),
        ("a x\nb x\n", "names.txt, line 2: 'x' was there before"),
        ("# none\n", "has no names"),
        ("d\n", "d: missing"),
    ):
        names.write_text(text)
        status, _, err = torch.convert(tmp_path, "w.pth", "--names-from", names, "--force")
        assert status == 2
        assert words in err


def test_a_dtype_is_for_floating_point_alone(torch: TorchProcess, tmp_path: Path) -> None:
    torch.run(tmp_path, 'torch.save({"a": torch.ones(2, 2), "n": torch.tensor([7])}, "w.pth")')
    assert torch.convert(tmp_path, "w.pth", "--dtype", "float16")[0] == 0
    table = read_table(tmp_path / "w.safetensors")
    assert {name: entry.dtype for name, entry in table.items()} == {"a": "F16", "n": "I64"}


def test_what_the_service_would_refuse_is_told(torch: TorchProcess, tmp_path: Path) -> None:
    torch.run(tmp_path, 'torch.save({"a": torch.tensor([1.0, float("nan")])}, "w.pth")')
    status, _, err = torch.convert(tmp_path, "w.pth")
    assert status == 0
    assert "a has values that are not finite" in err


def test_what_cannot_be_converted_leaves_no_file(torch: TorchProcess, tmp_path: Path) -> None:
    torch.run(
        tmp_path,
        """
torch.save({"s": torch.eye(2).to_sparse(), "c": torch.ones(1, dtype=torch.complex64)}, "kinds.pth")
torch.save({}, "empty.pth")
torch.save({"a": torch.ones(1)}, "good.pth")
""",
    )
    (tmp_path / "garbage.pth").write_bytes(b"garbage" * 100)
    (tmp_path / "zero.pth").touch()
    whole = (tmp_path / "good.pth").read_bytes()
    (tmp_path / "half.pth").write_bytes(whole[: len(whole) // 2])
    for name, words in (
        ("kinds.pth", "s is not a dense tensor"),
        ("kinds.pth", "c has the dtype torch.complex64"),
        ("empty.pth", "has none"),
        ("garbage.pth", "garbage.pth"),
        ("zero.pth", "zero.pth is not a checkpoint"),
        ("half.pth", "half.pth"),
        ("missing.pth", "missing.pth cannot be used: No such file"),
    ):
        status, out, err = torch.convert(tmp_path, name)
        assert (status, out) == (2, ""), name
        assert words in err
        assert "Traceback" not in err
    assert not list(tmp_path.glob("*.safetensors*"))
    assert not list(tmp_path.glob(".*")), "nothing is left half-written"


def test_a_file_is_not_written_over_by_accident(torch: TorchProcess, tmp_path: Path) -> None:
    torch.run(tmp_path, 'torch.save({"a": torch.ones(1)}, "w.pth")')
    (tmp_path / "w.safetensors").write_bytes(b"mine")
    status, _, err = torch.convert(tmp_path, "w.pth")
    assert status == 2
    assert "w.safetensors exists: choose another file with -o, or write over it with --force" in err
    assert (tmp_path / "w.safetensors").read_bytes() == b"mine"
    assert torch.convert(tmp_path, "w.pth", "-o", "other.safetensors")[0] == 0
    assert torch.convert(tmp_path, "w.pth", "--force")[0] == 0
    status, _, err = torch.convert(tmp_path, "w.safetensors")
    assert status == 2
    assert "is a safetensors file already" in err


def test_without_torch_the_way_out_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "w.pth").write_bytes(b"PK\x03\x04")
    monkeypatch.setitem(sys.modules, "torch", None)
    assert main(["convert", str(tmp_path / "w.pth")]) == 2
    err = capsys.readouterr().err
    assert "torch is needed to read a checkpoint" in err
    assert sys.executable in err
    assert main_module.__name__ in err
