"""Graphs that are grown node by node and run, in a process that has torch; see `grow_graphs.py`."""

import json
import subprocess
from collections import Counter
from pathlib import Path

from tests.fuzz.campaign import Report

NAME = "grown graphs"
GROWTH_LIMIT_BYTES = 128 << 20
"""Of the peak: the tensors of the largest graph, which may have 16 MiB, and what torch keeps of them."""
ARCHIVE = Path(__file__).parents[1] / "graph" / "archives" / "gpt.pt2"


def run(python: Path, seed: int, *, count: int = 1 << 40, limit_s: float = 600.0) -> Report:
    """Grow so many graphs, or for so long."""
    script = Path(__file__).parent / "grow_graphs.py"
    made = subprocess.run(
        [python, script, str(seed), str(count), str(limit_s), ARCHIVE],
        stdout=subprocess.PIPE,
        check=True,
        timeout=limit_s + 300,
    )
    found = json.loads(made.stdout)
    return Report(
        NAME,
        seed,
        GROWTH_LIMIT_BYTES,
        tried=found["tried"],
        outcomes=Counter(found["outcomes"]),
        failures=found["failures"],
        resident_bytes_at_first=found["peak_bytes_at_first"],
        resident_bytes_at_last=found["peak_bytes_at_last"],
    )
