"""The two profiles: how programs are compiled, on which problems, between which anchors."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from scorer_service.environments.interface import Anchors

EMBEDDED_SET_DIR = Path(__file__).parent / "problem_set"
"""Where `scorer problems build` puts the embedded set."""
PROBLEMS_FILE = "problems.jsonl"
REFERENCE_FILE = "reference_submission.jsonl"


@dataclass(frozen=True)
class Profile:
    """What a profile fixes."""

    name: str
    compile_profile: str
    """Its name in the toolchain file."""
    anchors: Anchors
    """Of the profile's own problem set; another set has none."""
    hub_split: str = ""
    """The split of the hub's data set; empty where the set comes with the package."""


PROFILES: Mapping[str, Profile] = {
    # The starting solution solves nothing; the reference solves every problem of the set (measured: see
    # tests/environments/rust_codecontests/test_anchors.py).
    "embedded": Profile("embedded", "embedded", Anchors(starting_raw=0.0, reference_raw=1.0)),
    # RE-Bench (arXiv:2411.15114): nothing solved, and 21 of the 165 problems of the test split.
    "paper": Profile("paper", "paper", Anchors(starting_raw=0.0, reference_raw=21 / 165), hub_split="test"),
}
