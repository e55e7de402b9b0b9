"""The anchors of the embedded profile, measured: the starter solves nothing, the reference everything."""

import asyncio
import json
from pathlib import Path

from scorer.v1 import rust_codecontests_pb2
from stage_context import Context

from scorer_service.environments.interface import Outcome, Verdict
from scorer_service.environments.rust_codecontests import environment, profiles, verdicts
from scorer_service.environments.settings import EnvironmentSettings
from scorer_service.sandbox.native import NativeBackend
from tests.environments.rust_codecontests.conftest import make_request
from tests.environments.rust_codecontests.embedded import open_set


async def _scores(
    backend: NativeBackend, cache_dir: Path
) -> tuple[environment.RustCodecontests, list[Outcome]]:
    served = environment.create(EnvironmentSettings("embedded", cache_dir, backend))
    await served.start()
    try:
        stubs = {
            Path(file.path).stem: file.content.decode()
            for file in served.starter()
            if file.path.startswith("solutions/")
        }
        lines = (profiles.EMBEDDED_SET_DIR / profiles.REFERENCE_FILE).read_text().splitlines()
        references = {entry["problem_id"]: entry["source"] for entry in map(json.loads, lines)}
        outcomes = []
        for programs in (stubs, references):
            request = make_request(programs)
            served.validate(request)
            outcomes.append(await served.stages[0].run(request, Context()))
        return served, outcomes
    finally:
        await served.close()


def test_starter_and_reference_score_what_the_anchors_say(backend: NativeBackend, tmp_path: Path) -> None:
    open_set(tmp_path / "index")
    served, (starting, reference) = asyncio.run(_scores(backend, tmp_path / "cache"))
    anchors = served.describe().anchors
    assert anchors is not None
    response = reference.response
    assert isinstance(response, rust_codecontests_pb2.ScoreRustCodecontestsResponse)
    unsolved = {
        result.problem_id: verdicts.short_name(result.verdict)
        for result in response.problems
        if result.verdict != rust_codecontests_pb2.PROBLEM_VERDICT_ACCEPTED
    }
    assert not unsolved
    assert (starting.verdict, starting.raw_score) == (Verdict.SCORED, anchors.starting_raw)
    assert (reference.verdict, reference.raw_score) == (Verdict.SCORED, anchors.reference_raw)
    assert len(response.problems) == response.problem_count

    # A reference that is near its limit would fail on a slower machine.
    slow = {
        details["problem_id"]: details["largest_cpu_s"]
        for details in reference.evaluator_details["problems"]
        if details["largest_cpu_s"] > details["cpu_limit_s"] / 2
    }
    assert not slow
