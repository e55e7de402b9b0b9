"""Fuzzes one surface after the other, and prints what was tried, what failed, and memory: `make fuzz`.

    PYTHONPATH=tests/doubles python -m tests.fuzz --seconds 600 --surface rpc

The exit status is 1 where a surface did what it must not do, or its memory grew.
"""

import argparse
import random
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from tests.fuzz import campaign, grown_graphs
from tests.fuzz.campaign import Report, Surface
from tests.fuzz.checker import CheckerSurface
from tests.fuzz.graph_archive import GraphArchiveSurface
from tests.fuzz.problem_rows import ProblemRowsSurface
from tests.fuzz.rpc import RpcSurface, TokenRpcSurface
from tests.fuzz.weights_files import WeightsFileSurface

SURFACES: Mapping[str, Callable[[], Surface]] = {
    "rpc": RpcSurface,
    "rpc-tokens": TokenRpcSurface,
    "graph-archives": GraphArchiveSurface,
    "safetensors": WeightsFileSurface,
    "problem-rows": ProblemRowsSurface,
    "checker": CheckerSurface,
}
GROWN = "grown-graphs"
TORCH_PYTHON = Path(__file__).parents[2] / ".venv-torch" / "bin" / "python"


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs them, and answers with the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=600.0, help="for each surface; %(default)s")
    parser.add_argument("--seed", type=int, help="of all inputs; drawn anew where it is left out")
    parser.add_argument(
        "--first",
        type=int,
        default=0,
        help="number of the first input, to try one again that does not build on others",
    )
    parser.add_argument("--count", type=int, help="how many inputs, in place of the time")
    parser.add_argument("--surface", choices=[*SURFACES, GROWN], action="append", help="may be repeated")
    options = parser.parse_args(arguments)
    seed = random.SystemRandom().randrange(1 << 32) if options.seed is None else options.seed
    well = True
    for name in options.surface or [*SURFACES, GROWN]:
        report = _run(name, seed, options)
        print(report, flush=True)
        well = well and report.is_well
    return 0 if well else 1


def _run(name: str, seed: int, options: argparse.Namespace) -> Report:
    if name == GROWN:
        count = options.count or 1 << 40
        return grown_graphs.run(TORCH_PYTHON, seed, count=count, limit_s=options.seconds)
    limit_s = None if options.count else options.seconds
    return campaign.run(SURFACES[name](), seed, count=options.count, limit_s=limit_s, first=options.first)


if __name__ == "__main__":
    sys.exit(main())
