"""A bounded part of each campaign: always the same inputs. `make fuzz` goes on from there."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fuzz import campaign, grown_graphs
from tests.fuzz.campaign import Surface
from tests.fuzz.checker import CheckerSurface
from tests.fuzz.graph_archive import GraphArchiveSurface
from tests.fuzz.problem_rows import ProblemRowsSurface
from tests.fuzz.rpc import RpcSurface, TokenRpcSurface, methods
from tests.fuzz.weights_files import WeightsFileSurface

SEED = 1


@pytest.mark.parametrize(
    ("make", "count", "outcomes"),
    [
        (RpcSurface, 500, {"OK", "INVALID_ARGUMENT", "NOT_FOUND", "CANCELLED"}),
        (TokenRpcSurface, 300, {"OK", "INVALID_ARGUMENT", "PERMISSION_DENIED", "UNAUTHENTICATED"}),
        (GraphArchiveSurface, 100, {"accepted", "refused", "malformed"}),
        (WeightsFileSurface, 1000, {"accepted", "refused"}),
        (ProblemRowsSurface, 1500, {"accepted", "refused"}),
        (CheckerSurface, 4000, {"equal", "different"}),
    ],
    ids=["rpc", "rpc with tokens", "graph archives", "safetensors", "problem rows", "checker"],
)
def test_no_input_makes_it_fail(make: Callable[[], Surface], count: int, outcomes: set[str]) -> None:
    surface = make()
    report = campaign.run(surface, SEED, count=count)
    assert report.is_well, report
    # What is refused at once reaches little: there has to be some of each.
    assert outcomes <= report.outcomes.keys(), report
    if isinstance(surface, RpcSurface):
        assert surface.called == methods().keys()


def test_graphs_that_are_accepted_keep_their_promises(torch_python: Path) -> None:
    report = grown_graphs.run(torch_python, SEED, count=250)
    assert report.is_well, report
    assert report.outcomes["ran"] > report.tried * 0.9, report


def test_methods_of_all_services_are_fuzzed() -> None:
    services = {path.split("/")[1] for path in methods()}
    assert {"scorer.v1.ScoringService", "scorer.v1.ArtifactService", "grpc.health.v1.Health"} <= services
