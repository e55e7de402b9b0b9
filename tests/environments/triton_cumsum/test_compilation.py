"""Kernels compile for a GPU on a machine without one, and their compile errors come with their line."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from scorer_service.environments.triton_cumsum import environment

REFERENCES = Path(environment.__file__).parent / "reference"
Compile = Callable[[Path], "subprocess.CompletedProcess[str]"]


@pytest.fixture
def compile_for(task: Path, torch_python: Path, tmp_path: Path) -> Compile:
    """Compiles the kernels of a solution for an H100, as an agent would, with an empty cache."""

    def run(solution: Path) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [torch_python, "check.py", "--compile-for", "sm_90", solution],
            capture_output=True,
            text=True,
            cwd=task,
            env={**os.environ, "TRITON_CACHE_DIR": str(tmp_path / "cache")},
            check=False,
        )

    return run


def test_the_reference_compiles_for_an_h100_as_it_is_run_there(compile_for: Compile) -> None:
    ended = compile_for(REFERENCES / "triton_scan.py")
    assert ended.returncode == 0, ended.stdout + ended.stderr
    for kernel in ("sum_blocks(block_size=4096", "scan_blocks(", "write_blocks(block_size=4096"):
        assert kernel in ended.stdout
    assert ended.stdout.count(" compiles for sm_90: ") == 3


AUTOTUNED = """
import torch, triton
import triton.language as tl

@triton.autotune(configs=[triton.Config({"size": 64}), triton.Config({"size": 96})], key=["n"])
@triton.jit
def kernel(x, n, scale, size: tl.constexpr):
    at = tl.arange(0, size)
    tl.store(x + at, tl.load(x + at, mask=at < n) * scale, mask=at < n)

def prefix_sum(x):
    kernel[(1,)](x, len(x), 2)
    return x
"""


def test_every_configuration_is_compiled_and_an_error_names_its_line(
    compile_for: Compile, tmp_path: Path
) -> None:
    (tmp_path / "solution.py").write_text(AUTOTUNED)
    ended = compile_for(tmp_path / "solution.py")
    assert ended.returncode == 1
    assert "kernel(size=64" in ended.stdout, "the first one is right"
    assert "WRONG: it does not compile for sm_90" in ended.stdout
    assert "CompilationError" in ended.stdout
    assert "at = tl.arange(0, size)" in ended.stdout
    assert "must be a power of 2" in ended.stdout
