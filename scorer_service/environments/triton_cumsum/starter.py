"""What an agent starts from: instructions, the starting solution, and a local checker."""

import math
import string
from collections.abc import Sequence
from pathlib import Path

from scorer_service.environments.interface import EnvironmentDescription, StarterFile
from scorer_service.environments.triton_cumsum import profiles

_HERE = Path(__file__).parent
_FILES = _HERE / "starter_files"

# The public inputs and the definition, by which the service judges as well.
_SHARED_FILES = ("battery.py", "expected.py", "kernel_compilation.py", "public_inputs.py")
_SIZE_LINE = "ELEMENT_COUNT = 65_536\n"


def starting_solution() -> bytes:
    """What scores 0."""
    return (_FILES / "solution.py").read_bytes()


def files(
    description: EnvironmentDescription, kind: str, measurement: profiles.Measurement
) -> Sequence[StarterFile]:
    """All files. Reads; blocks."""
    instructions = string.Template((_FILES / "INSTRUCTIONS.md").read_text()).substitute(
        element_count=f"{measurement.element_count:,}",
        trial_count=measurement.trial_count,
        spread_limit=f"{measurement.spread_limit:.0%}",
        device=_device_in_words(description, kind),
        anchors=_anchors_in_words(description),
        limits="\n".join(f"| {name} | {value} |" for name, value in description.limits),
        source_limit=f"{description.source_limit_bytes >> 10} KiB",
    )
    checker = (_FILES / "check.py").read_text()
    checker = checker.replace(_SIZE_LINE, f"ELEMENT_COUNT = {measurement.element_count:_}\n")
    return [
        StarterFile("INSTRUCTIONS.md", instructions.encode()),
        StarterFile("check.py", checker.encode(), executable=True),
        StarterFile("compile_kernels.py", (_FILES / "compile_kernels.py").read_bytes()),
        *(StarterFile(name, (_HERE / name).read_bytes()) for name in _SHARED_FILES),
        StarterFile("solution.py", starting_solution()),
    ]


def _device_in_words(description: EnvironmentDescription, kind: str) -> str:
    if kind == "cuda":
        return f"one {description.device}"
    return (
        "a CPU: one core, one thread of torch. Triton kernels run there too, in Triton's interpreter, which"
        " is far slower than torch, and their time counts like any other"
    )


def _anchors_in_words(description: EnvironmentDescription) -> str:
    anchors = description.anchors
    if anchors is None:
        return "This server has not measured a reference solution on its device, so scores are raw only."
    starting_ms, reference_ms = math.exp(anchors.starting_raw), math.exp(anchors.reference_raw)
    return (
        f"The starting solution takes {starting_ms:.4g} ms (normalised score 0), an expert's solution"
        f" {reference_ms:.4g} ms (normalised score 1); more than 1 is possible."
    )
