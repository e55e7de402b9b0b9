"""The environment as the service uses it: start, describe, validate, judge, close."""

import asyncio
import hashlib
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
import scorer_launcher
from scorer.v1 import result_pb2, rust_codecontests_pb2
from stage_context import Context

from scorer_service.environments.interface import (
    Anchors,
    InvalidSubmission,
    JudgingFailed,
    NotServing,
    Outcome,
    Verdict,
)
from scorer_service.environments.rust_codecontests import environment, profiles, selftest
from scorer_service.environments.settings import EnvironmentSettings
from scorer_service.sandbox import toolchain
from scorer_service.sandbox.native import NativeBackend
from tests.environments.rust_codecontests.conftest import make_request, make_row, write_set
from tests.environments.rust_codecontests.test_program_judge import PROGRAMS, RIGHT

Environment = environment.RustCodecontests


class Serving:
    """Starts the environment with a small set for one piece of work."""

    def __init__(self, backend: NativeBackend, folder: Path) -> None:
        self.backend = backend
        self.folder = folder
        self.rows: list[Any] = [make_row(name, time_limit=0.5) for name in ("a", "b", "c", "d")]

    def settings(self, profile: str = "embedded") -> EnvironmentSettings:
        path = write_set(self.folder / "set.jsonl", self.rows)
        return EnvironmentSettings(profile, self.folder / "cache", self.backend, path)

    def run(self, work: Callable[[Environment], Awaitable[Any]], profile: str = "embedded") -> Any:
        async def main() -> Any:
            served = environment.create(self.settings(profile))
            await served.start()
            try:
                return await work(served)
            finally:
                await served.close()
                await served.close()

        return asyncio.run(main())

    def judge(
        self, programs: dict[str, str], context: Context | None = None, profile: str = "embedded"
    ) -> Outcome:
        async def work(served: Environment) -> Outcome:
            request = make_request(programs)
            served.validate(request)
            (stage,) = served.stages
            outcome = await stage.run(request, context or Context())
            assert isinstance(outcome, Outcome)
            return outcome

        outcome = self.run(work, profile)
        assert isinstance(outcome, Outcome)
        return outcome


@pytest.fixture
def serving(backend: NativeBackend, tmp_path: Path) -> Serving:
    return Serving(backend, tmp_path)


def test_the_score_is_the_share_of_solved_problems(serving: Serving) -> None:
    context = Context()
    programs = {"c": RIGHT, "a": PROGRAMS["wrong_answer"], "b": PROGRAMS["compile_error"]}
    outcome = serving.judge(programs, context)
    assert (outcome.verdict, outcome.raw_score) == (Verdict.SCORED, 0.25)
    assert outcome.summary == "Solved 1 of 4 problems; 1 of 3 programs do not compile."
    response = outcome.response
    assert isinstance(response, rust_codecontests_pb2.ScoreRustCodecontestsResponse)
    assert [(result.problem_id, result.verdict) for result in response.problems] == [
        ("c", rust_codecontests_pb2.PROBLEM_VERDICT_ACCEPTED),
        ("a", rust_codecontests_pb2.PROBLEM_VERDICT_WRONG_ANSWER),
        ("b", rust_codecontests_pb2.PROBLEM_VERDICT_COMPILE_ERROR),
    ]
    assert (response.problem_count, response.solved_count) == (4, 1)
    assert not response.HasField("result")
    assert context.reports[0] == (0, 3, "problems")
    assert context.reports[-1] == (3, 3, "problems")
    assert [done for done, _, _ in context.reports] == [0, 1, 2, 3]


def test_details_are_for_the_evaluator(serving: Serving) -> None:
    details = serving.judge({"a": RIGHT}).evaluator_details
    assert details["isolation"] == serving.backend.description
    assert details["compiler"].startswith("rustc ")
    assert [problem["problem_id"] for problem in details["problems"]] == ["a"]


def test_nothing_solved_is_a_score_of_zero(serving: Serving) -> None:
    outcome = serving.judge({"a": PROGRAMS["wrong_answer"]})
    assert (outcome.verdict, outcome.raw_score) == (Verdict.SCORED, 0.0)


def test_a_submission_of_which_nothing_compiles_has_no_score(serving: Serving) -> None:
    outcome = serving.judge({"a": PROGRAMS["compile_error"], "b": "fn main() {"})
    assert (outcome.verdict, outcome.raw_score) == (Verdict.BUILD_ERROR, None)
    assert outcome.summary == "None of the 2 programs compiles."
    response = outcome.response
    assert isinstance(response, rust_codecontests_pb2.ScoreRustCodecontestsResponse)
    assert len(response.problems) == 2


def test_the_paper_profile_is_not_optimised_and_wraps_nowhere(serving: Serving) -> None:
    overflowing = 'fn main() { let x = std::hint::black_box(i32::MAX); println!("{}", x + 1); }'
    outcome = serving.judge({"a": overflowing}, profile="paper")
    response = outcome.response
    assert isinstance(response, rust_codecontests_pb2.ScoreRustCodecontestsResponse)
    assert response.problems[0].verdict == rust_codecontests_pb2.PROBLEM_VERDICT_RUNTIME_ERROR
    assert "attempt to add with overflow" in response.problems[0].public_failure.stderr.decode()


def test_a_source_may_come_as_an_artifact(serving: Serving, tmp_path: Path) -> None:
    source = RIGHT.encode() + b"\n// " + b"x" * (300 << 10)
    digest = hashlib.sha256(source).hexdigest()
    (tmp_path / "artifact").write_bytes(source)
    reference = result_pb2.ArtifactReference(sha256=digest, size_bytes=len(source))

    async def work(served: Environment) -> Outcome:
        request = make_request({}, a=reference)
        served.validate(request)
        outcome = await served.stages[0].run(request, Context(files={digest: tmp_path / "artifact"}))
        (tmp_path / "artifact").unlink()
        with pytest.raises(JudgingFailed, match=digest):
            await served.stages[0].run(request, Context(files={digest: tmp_path / "artifact"}))
        assert isinstance(outcome, Outcome)
        return outcome

    assert serving.run(work).raw_score == 0.25


def test_a_failure_of_the_sandbox_is_no_verdict(serving: Serving, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> None:
        raise scorer_launcher.SandboxError("no network namespace")

    async def work(served: Environment) -> None:
        monkeypatch.setattr(serving.backend, "open", fail)
        with pytest.raises(JudgingFailed, match="no network namespace"):
            await served.stages[0].run(make_request({"a": RIGHT, "b": RIGHT + " "}), Context())

    serving.run(work)


def test_cancelling_a_submission_ends_all_of_it_and_leaves_the_service_working(serving: Serving) -> None:
    serving.rows = [make_row(name, time_limit=200) for name in ("a", "b", "c", "d")]

    async def work(served: Environment) -> None:
        running = asyncio.Event()

        class Watching(Context):
            def report(self, done: int, total: int, unit: str) -> None:
                running.set()

        spinning = make_request(dict.fromkeys("abcd", PROGRAMS["cpu_time_limit"]))
        task = asyncio.ensure_future(served.stages[0].run(spinning, Watching()))
        await running.wait()
        began = time.monotonic()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert time.monotonic() - began < 60  # 200 s each, had they not been killed
        outcome = await served.stages[0].run(make_request({"a": RIGHT}), Context())
        assert isinstance(outcome, Outcome)
        assert outcome.raw_score == 0.25

    serving.run(work)


def test_a_wrong_request_is_refused(serving: Serving) -> None:
    async def work(served: Environment) -> None:
        with pytest.raises(InvalidSubmission, match="there is no problem 'absent'"):
            served.validate(make_request({"absent": RIGHT}))

    serving.run(work)


def test_the_description_is_there_before_the_start_and_tells_the_limits_after_it(serving: Serving) -> None:
    served = environment.create(serving.settings())
    before = served.describe()
    assert (before.name, before.device, before.profile) == ("rust_codecontests", "cpu", "embedded")
    assert before.anchors is None  # a set of one's own has none

    async def work(served: Environment) -> dict[str, str]:
        return dict(served.describe().limits)

    limits = serving.run(work)
    assert limits["problems"] == "4"
    assert limits["compile time"] == "10 s of CPU, 30 s in all"
    assert "-O" in limits["compile command"]
    assert limits["compiler"].startswith("rustc ")


@pytest.mark.parametrize(("profile", "reference_raw"), [("embedded", 1.0), ("paper", 21 / 165)])
def test_each_profile_has_its_anchors(
    backend: NativeBackend, tmp_path: Path, profile: str, reference_raw: float
) -> None:
    served = environment.create(EnvironmentSettings(profile, tmp_path, backend))
    assert served.describe().anchors == Anchors(0.0, reference_raw)


def test_an_unknown_profile_is_not_served(backend: NativeBackend, tmp_path: Path) -> None:
    with pytest.raises(NotServing, match="'fast'; choose one of embedded, paper"):
        environment.create(EnvironmentSettings("fast", tmp_path, backend))


def refuse_to_start(settings: EnvironmentSettings) -> str:
    with pytest.raises(NotServing) as refused:
        asyncio.run(environment.create(settings).start())
    return str(refused.value)


def test_a_set_that_was_not_built_says_how_to_build_it(
    backend: NativeBackend, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(profiles, "EMBEDDED_SET_DIR", tmp_path / "absent")
    settings = EnvironmentSettings("embedded", tmp_path / "cache", backend)
    assert "scorer problems build" in refuse_to_start(settings)


def test_a_set_with_a_bad_row_is_not_served(serving: Serving) -> None:
    serving.rows.append(make_row("e", private_tests=..., generated_tests=...))
    told = refuse_to_start(serving.settings())
    assert "line 5 (e): has no hidden tests" in told
    assert "scorer problems check" in told


def test_a_missing_compiler_says_how_to_install_it(serving: Serving, monkeypatch: pytest.MonkeyPatch) -> None:
    absent = serving.folder / "rust.toml"
    text = toolchain.builtin("rust").read_text().replace('["rustc", "--print"', '["absent-rustc", "--print"')
    absent.write_text(text)
    monkeypatch.setattr(toolchain, "builtin", lambda _: absent)
    told = refuse_to_start(serving.settings())
    assert "absent-rustc is not in PATH" in told
    assert "rustup" in told


def test_a_cache_that_submissions_could_see_is_refused(
    serving: Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    showing = serving.folder / "rust.toml"
    mount = f'[compile.mounts]\n"/data" = "{serving.folder}"\n'
    showing.write_text(toolchain.builtin("rust").read_text().replace("[compile.mounts]\n", mount))
    monkeypatch.setattr(toolchain, "builtin", lambda _: showing)
    assert "submissions see as /data" in refuse_to_start(serving.settings())


@pytest.mark.parametrize("index", range(4))
def test_a_sandbox_that_judges_wrongly_is_not_served(
    serving: Serving, monkeypatch: pytest.MonkeyPatch, index: int
) -> None:
    cases = list(selftest._CASES)
    stdin, expected, _ = cases[index]
    cases[index] = (stdin, expected, rust_codecontests_pb2.PROBLEM_VERDICT_MEMORY_LIMIT)
    monkeypatch.setattr(selftest, "_CASES", cases)
    assert "judges wrongly" in refuse_to_start(serving.settings())
