"""Builds the embedded set: inputs from the generators, expected outputs from the references."""

import asyncio
import concurrent.futures
import hashlib
import json
import multiprocessing
import os
import tempfile
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import scorer_launcher

from scorer_service.environments.interface import JudgingFailed
from scorer_service.environments.rust_codecontests import (
    blocking,
    compilation,
    generation,
    problem,
    profiles,
    program_cache,
    row,
    running,
)
from scorer_service.environments.rust_codecontests import source as problem_source
from scorer_service.sandbox import toolchain
from scorer_service.sandbox.interface import SandboxBackend

DIGESTS_FILE = "digests.toml"
_BUILD_VERSION = 1
_RECORD_FILE = "build.json"
_COMPILE_PROFILE = "embedded"
_TESTS_LIMIT_BYTES = 12 << 20


class BuildFailed(Exception):
    """The set could not be built; the message has one line for each problem at fault."""


@dataclass(frozen=True)
class BuildSummary:
    """What a build did."""

    problems_file: Path
    built: Sequence[str]
    """Problems that were made now."""
    reused: Sequence[str]
    """Problems whose sources had not changed."""
    size_bytes: int

    def __str__(self) -> str:
        total = len(self.built) + len(self.reused)
        return (
            f"{self.problems_file}: {total} problems, {self.size_bytes / 1e6:.1f} MB"
            f" ({len(self.built)} built, {len(self.reused)} unchanged)"
        )


def build_embedded_set(
    output_dir: Path,
    backend: SandboxBackend,
    *,
    update_digests: bool = False,
    problems_dir: Path = problem_source.PROBLEMS_DIR,
) -> BuildSummary:
    """Write `problems.jsonl` and `reference_submission.jsonl` into `output_dir`.

    The set is the same on every machine: `digests.toml` beside the sources pins each row, and a row that
    comes out differently fails the build unless `update_digests` is set. Raises BuildFailed, SandboxError.
    """
    return asyncio.run(_build(output_dir, backend, update_digests, problems_dir))


async def _build(
    output_dir: Path, backend: SandboxBackend, update_digests: bool, problems_dir: Path
) -> BuildSummary:
    sources = list(problem_source.all_sources(problems_dir))
    if not sources:
        raise BuildFailed(f"there is no problem in {problems_dir}")
    digests = {source.problem_id: source.digest() for source in sources}
    rows = _reusable(output_dir, digests)
    reused = sorted(rows)
    missing = [source for source in sources if source.problem_id not in rows]
    rows |= await _make_rows(missing, backend)
    row_digests = {key: hashlib.sha256(rows[key]).hexdigest() for key in sorted(rows)}
    pinned_path = problems_dir / DIGESTS_FILE
    if update_digests:
        _write(pinned_path, [_digests_text(row_digests).encode()])
    else:
        _compare(row_digests, pinned_path)
    problems_file = output_dir / profiles.PROBLEMS_FILE
    if missing or len(rows) != len(_record(output_dir)):
        _store(output_dir, rows, digests, sources)
    return BuildSummary(
        problems_file, [source.problem_id for source in missing], reused, problems_file.stat().st_size
    )


async def _make_rows(
    sources: Sequence[problem_source.ProblemSource], backend: SandboxBackend
) -> dict[str, bytes]:
    if not sources:
        return {}
    # Processes for the generators, which compute in Python; started anew, not forked, since threads run here.
    spawn = multiprocessing.get_context("spawn")
    with (
        tempfile.TemporaryDirectory(prefix="scorer-build-") as cache_dir,
        concurrent.futures.ProcessPoolExecutor(backend.slot_count, mp_context=spawn) as generators,
        concurrent.futures.ThreadPoolExecutor(2 * backend.slot_count + 2) as threads,
    ):
        language = toolchain.load(toolchain.builtin("rust"))
        cache = program_cache.ProgramCache(Path(cache_dir))
        maker = _RowMaker(backend, language, cache, threads, generators)
        results = await asyncio.gather(*(maker.make(source) for source in sources), return_exceptions=True)
    rows, faults = {}, []
    for source, result in zip(sources, results, strict=True):
        if isinstance(result, bytes):
            rows[source.problem_id] = result
        elif isinstance(result, BuildFailed):
            faults.append(f"{source.problem_id}: {result}")
        else:
            raise result
    if faults:
        raise BuildFailed("\n".join(faults))
    return rows


class _RowMaker:
    def __init__(
        self,
        backend: SandboxBackend,
        language: toolchain.Toolchain,
        cache: program_cache.ProgramCache,
        threads: concurrent.futures.Executor,
        generators: concurrent.futures.Executor,
    ) -> None:
        self._backend = backend
        self._language = language
        self._threads = threads
        self._generators = generators
        self._compiler = compilation.Compiler(backend, language, cache, threads)
        self._at_once = asyncio.Semaphore(backend.slot_count + 1)

    async def make(self, source: problem_source.ProblemSource) -> bytes:
        """The row of a problem, as a line."""
        async with self._at_once:
            try:
                return await self._make(source)
            except (ValueError, KeyError, TypeError, AttributeError, OSError) as error:
                raise BuildFailed(f"{type(error).__name__}: {error}") from error
            except JudgingFailed as error:
                raise BuildFailed(str(error)) from error

    async def _make(self, source: problem_source.ProblemSource) -> bytes:
        loop = asyncio.get_running_loop()
        content = source.row()
        inputs = await loop.run_in_executor(self._generators, generation.inputs, source.folder)
        async with self._compiler.compiled(source.reference.encode(), _COMPILE_PROFILE) as compiled:
            if compiled.program is None:
                raise BuildFailed(f"the reference does not compile: {compiled.messages}")
            all_inputs = [*inputs.public, *inputs.hidden]
            judged = _as_problem(content, len(all_inputs))
            scope = blocking.SandboxScope(self._backend)
            program = compiled.program
            expected = await blocking.run(
                self._threads, scope, lambda: self._answers(scope, program, judged, all_inputs)
            )
            count = len(inputs.public)
            content["public_tests"] = {"input": list(inputs.public), "output": expected[:count]}
            content["private_tests"] = {"input": list(inputs.hidden), "output": expected[count:]}
            content["generated_tests"] = {"input": [], "output": []}
            size = sum(len(text.encode()) for text in (*all_inputs, *expected))
            if size > _TESTS_LIMIT_BYTES:
                raise BuildFailed(f"the tests have {size} bytes in all, the limit is {_TESTS_LIMIT_BYTES}")
            await self._check(content, program)
        return (json.dumps(content, ensure_ascii=False, sort_keys=True) + "\n").encode()

    def _answers(
        self, scope: blocking.SandboxScope, program: Path, judged: problem.Problem, inputs: Sequence[str]
    ) -> list[str]:
        language = self._language
        mounts = {**language.run.mounts, language.program: str(program)}
        outcomes = scope.open(mounts, language.run.environment).run_tests(
            language.run.argv,
            [scorer_launcher.TestCase(text.encode(), b"") for text in inputs],
            limits=judged.limits(language.run.process_limit, language.run.scratch_limit_bytes),
            checker=judged.checker.to_launcher(),
            stop_at_first_failure=False,
            keep_output=True,
        )
        for outcome in outcomes:
            ended = outcome.result.termination
            if ended is not scorer_launcher.Termination.EXITED or outcome.result.exit_code != 0:
                said = outcome.result.stderr.decode(errors="replace")[:500]
                raise BuildFailed(f"the reference fails on test {outcome.index + 1}: {ended} {said}")
        if len(outcomes) != len(inputs):
            raise scorer_launcher.SandboxError(f"{len(outcomes)} of {len(inputs)} tests were run")
        return [outcome.result.stdout.decode() for outcome in outcomes]

    async def _check(self, content: dict[str, Any], program: Path) -> None:
        """The row must be one that is served, and its own validator must accept the reference."""
        try:
            judged, tests = row.parse(dict(content))
        except row.RowRefused as error:
            raise BuildFailed(str(error)) from error
        if judged.checker.kind != "special":
            return
        async with self._compiler.compiled(tests.validator_source.encode(), _COMPILE_PROFILE) as compiled:
            validator = compiled.program
            if validator is None:
                raise BuildFailed(f"the validator does not compile: {compiled.messages}")
            scope = blocking.SandboxScope(self._backend)
            runs = await blocking.run(
                self._threads,
                scope,
                lambda: running.run_tests(scope, self._language, program, judged, tests, validator),
            )
            if not runs[-1].accepted:
                raise BuildFailed(f"the validator rejects the reference on test {runs[-1].number}")


def _as_problem(content: Mapping[str, Any], test_count: int) -> problem.Problem:
    """The limits under which the reference runs; its output may have any size that a row may hold."""
    limit = content["time_limit"]
    return problem.Problem(
        problem_id=content["problem_id"],
        name=content["name"],
        time_limit_s=limit["seconds"] + limit["nanos"] / 1e9,
        memory_limit_bytes=content["memory_limit_bytes"],
        checker=problem.CheckerSpec("exact"),
        public_count=0,
        hidden_count=test_count,
        largest_expected_bytes=_TESTS_LIMIT_BYTES,
        input_file="",
        output_file="",
    )


def _record(output_dir: Path) -> dict[str, dict[str, Any]]:
    try:
        record = json.loads((output_dir / _RECORD_FILE).read_bytes())
        return record["problems"] if record["version"] == _BUILD_VERSION else {}
    except (OSError, ValueError, KeyError, TypeError):
        return {}


def _reusable(output_dir: Path, digests: Mapping[str, str]) -> dict[str, bytes]:
    """Rows of the last build whose sources are still the same, and that are whole."""
    rows: dict[str, bytes] = {}
    try:
        with (output_dir / profiles.PROBLEMS_FILE).open("rb") as file:
            for problem_id, entry in _record(output_dir).items():
                if digests.get(problem_id) != entry["source_sha256"]:
                    continue
                file.seek(entry["offset"])
                line = file.read(entry["length"])
                if hashlib.sha256(line).hexdigest() == entry["row_sha256"]:
                    rows[problem_id] = line
    except (OSError, KeyError, TypeError):
        return {}
    return rows


def _store(
    output_dir: Path,
    rows: Mapping[str, bytes],
    digests: Mapping[str, str],
    sources: Iterable[problem_source.ProblemSource],
) -> None:
    output_dir.mkdir(parents=True, exist_ok=True)
    record: dict[str, Any] = {}
    offset = 0
    for problem_id, line in sorted(rows.items()):
        record[problem_id] = {
            "source_sha256": digests[problem_id],
            "row_sha256": hashlib.sha256(line).hexdigest(),
            "offset": offset,
            "length": len(line),
        }
        offset += len(line)
    references = (
        json.dumps({"problem_id": source.problem_id, "source": source.reference}, ensure_ascii=False) + "\n"
        for source in sources
    )
    _write(output_dir / profiles.PROBLEMS_FILE, [line for _, line in sorted(rows.items())])
    _write(output_dir / profiles.REFERENCE_FILE, [line.encode() for line in references])
    # Last, since it vouches for the others.
    record_text = json.dumps({"version": _BUILD_VERSION, "problems": record}, indent=1)
    _write(output_dir / _RECORD_FILE, [record_text.encode()])


def _write(path: Path, pieces: Iterable[bytes]) -> None:
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    with unfinished.open("wb") as file:
        file.writelines(pieces)
        file.flush()
        os.fsync(file.fileno())
    unfinished.replace(path)


def _digests_text(row_digests: Mapping[str, str]) -> str:
    lines = [
        "# SHA-256 of each problem's row, so that every server judges by the same tests.",
        "# Written by `scorer problems build --update`.",
        "",
        *(f'{problem_id} = "{digest}"' for problem_id, digest in sorted(row_digests.items())),
    ]
    return "\n".join(lines) + "\n"


def _compare(row_digests: Mapping[str, str], pinned_path: Path) -> None:
    pinned = tomllib.loads(pinned_path.read_text()) if pinned_path.is_file() else {}
    faults = [
        f"{key}: its row is not the pinned one" if key in pinned else f"{key}: its row is not pinned"
        for key, digest in row_digests.items()
        if pinned.get(key) != digest
    ]
    faults += [f"{key}: is pinned, but there is no such problem" for key in pinned if key not in row_digests]
    if faults:
        way_out = (
            "if the sources were changed on purpose, pin them anew with `scorer problems build --update`"
        )
        raise BuildFailed("\n".join([*faults, f"{pinned_path} differs; {way_out}"]))
