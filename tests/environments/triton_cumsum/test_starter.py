"""What an agent starts from is complete, tells the truth, and holds nothing that is not its own."""

import subprocess
from pathlib import Path

import pytest

from scorer_service.environments.interface import Anchors
from scorer_service.environments.triton_cumsum import environment, profiles, starter
from tests.environments.triton_cumsum.conftest import CheckEach, description

EMBEDDED = profiles.PROFILES["embedded"].measurements
REFERENCES = Path(environment.__file__).parent / "reference"


def text_of(name: str, kind: str = "cpu", anchors: Anchors | None = None) -> str:
    files = {file.path: file.content for file in starter.files(description(anchors), kind, EMBEDDED[kind])}
    return files[name].decode()


@pytest.mark.parametrize("kind", ["cpu", "cuda"])
def test_instructions_are_filled_in(kind: str) -> None:
    text = text_of("INSTRUCTIONS.md", kind)
    assert "$" not in text
    assert f"{EMBEDDED[kind].element_count:,}" in text
    assert "| memory | 4 GiB |" in text
    assert "| source | 256 KiB |" in text
    assert "scores are raw only" in text


def test_instructions_tell_anchors_in_milliseconds() -> None:
    text = text_of("INSTRUCTIONS.md", anchors=Anchors(0.0, -1.3862943611198906))
    assert "takes 1 ms (normalised score 0)" in text
    assert "0.25 ms (normalised score 1)" in text


def test_no_reference_solution_is_part_of_it() -> None:
    everything = b"".join(file.content for file in starter.files(description(), "cuda", EMBEDDED["cuda"]))
    for reference in REFERENCES.glob("*.py"):
        for line in reference.read_bytes().splitlines():
            if len(line) > 60:
                assert line not in everything, line


def test_the_checker_knows_the_timed_size() -> None:
    assert "\nELEMENT_COUNT = 100_000_000\n" in text_of("check.py", "cuda")
    assert "\nELEMENT_COUNT = 65_536\n" in text_of("check.py", "cpu")


WRONG = {
    "no function prefix_sum": "x = 1",
    "cannot be imported": "import no_such_module_anywhere",
    "ModuleNotFoundError": "import no_such_module_anywhere",
    "not torch.int32": "def prefix_sum(x): return x.long()",
    "has shape (2,), not (1,)": "def prefix_sum(x): return x.new_zeros(2 if len(x) else 0)",
    "it returned NoneType": "def prefix_sum(x): pass",
    'solution.py", line 2': "def prefix_sum(x):\n    return x[10 ** 6]",
    "AttributeError": (
        "import torch, triton\nimport triton.language as tl\n@triton.jit\ndef kernel(x):\n"
        "    tl.no_such_function(x)\ndef prefix_sum(x):\n    kernel[(1,)](x)\n"
    ),
}


def test_the_checker_says_what_is_wrong(check_each: CheckEach, tmp_path: Path) -> None:
    paths = []
    for number, source in enumerate(WRONG.values()):
        (tmp_path / str(number)).mkdir()
        paths.append(tmp_path / str(number) / "solution.py")
        paths[-1].write_text(source)
    for words, (status, told) in zip(WRONG, check_each(paths), strict=True):
        assert status == 1, told
        assert "WRONG: " in told
        assert words in told
        assert "right on all" not in told


def test_the_checker_runs_by_itself(task: Path, torch_python: Path) -> None:
    ended = subprocess.run([torch_python, "check.py"], capture_output=True, text=True, cwd=task, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "right on all" in ended.stdout
