"""Problem sets made on the spot, and the real sandbox."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import pytest
from scorer.v1 import result_pb2, rust_codecontests_pb2

from scorer_service.environments.rust_codecontests import compilation, program_cache, program_judge
from scorer_service.sandbox import toolchain
from scorer_service.sandbox.native import NativeBackend

FIXTURES = Path(__file__).parents[2] / "fixtures"
T = TypeVar("T")


def make_row(problem_id: str = "sum", **changes: Any) -> dict[str, Any]:
    """A problem: print the sum of two numbers."""
    row: dict[str, Any] = {
        "problem_id": problem_id,
        "name": "Sum",
        "description": "Print the sum of two numbers.",
        "public_tests": {"input": ["1 2\n"], "output": ["3\n"]},
        "private_tests": {"input": ["2 2\n", "5 6\n"], "output": ["4\n", "11\n"]},
        "generated_tests": {"input": ["-1 1\n"], "output": ["0\n"]},
        "time_limit": {"seconds": 1, "nanos": 0},
        "memory_limit_bytes": 64 << 20,
        "input_file": "",
        "output_file": "",
        "cf_rating": 800,
        "difficulty": "EASY",
        "source": "CODEFORCES",
    }
    return {key: value for key, value in (row | changes).items() if value is not ...}


def write_set(path: Path, rows: Sequence[Any]) -> Path:
    """A problem set; a row that is bytes is written as it is."""
    with path.open("wb") as file:
        for row in rows:
            file.write(row if isinstance(row, bytes) else json.dumps(row).encode() + b"\n")
    return path


def make_request(
    programs: dict[str, str], **artifacts: result_pb2.ArtifactReference
) -> rust_codecontests_pb2.ScoreRustCodecontestsRequest:
    request = rust_codecontests_pb2.ScoreRustCodecontestsRequest()
    for problem_id, source in programs.items():
        request.programs.add(problem_id=problem_id, source=result_pb2.SourceFile(inline=source))
    for problem_id, reference in artifacts.items():
        request.programs.add(problem_id=problem_id, source=result_pb2.SourceFile(artifact=reference))
    return request


@pytest.fixture(scope="session")
def backend() -> NativeBackend:
    return NativeBackend()


@pytest.fixture(scope="session")
def rust() -> toolchain.Toolchain:
    return toolchain.load(toolchain.builtin("rust"))


@pytest.fixture(scope="session")
def python() -> toolchain.Toolchain:
    return toolchain.load(FIXTURES / "python.toml")


@pytest.fixture(scope="session")
def compiled_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One cache for all tests of a process, as on a server."""
    return tmp_path_factory.mktemp("compiled")


@dataclass
class Judging:
    """Runs coroutines with a program judge in a fresh event loop."""

    backend: NativeBackend
    rust: toolchain.Toolchain
    compiled_dir: Path
    threads: ThreadPoolExecutor

    def run(
        self,
        work: Callable[[program_judge.ProgramJudge], Awaitable[T]],
        language: toolchain.Toolchain | None = None,
    ) -> T:
        async def main() -> T:
            cache = program_cache.ProgramCache(self.compiled_dir)
            validators = compilation.Compiler(self.backend, self.rust, cache, self.threads)
            compiler = validators
            if language is not None:
                compiler = compilation.Compiler(self.backend, language, cache, self.threads)
            judge = program_judge.ProgramJudge(
                self.backend, language or self.rust, compiler, validators, self.threads
            )
            return await work(judge)

        return asyncio.run(main())


@pytest.fixture(scope="session")
def judging(backend: NativeBackend, rust: toolchain.Toolchain, compiled_dir: Path) -> Iterator[Judging]:
    with ThreadPoolExecutor(16) as threads:
        yield Judging(backend, rust, compiled_dir, threads)
