"""What an agent starts from: instructions, the damaged model, public data, a naive repair and a checker."""

import math
import string
from collections.abc import Sequence
from pathlib import Path

from scorer_service.environments.fix_embedding import profiles
from scorer_service.environments.interface import EnvironmentDescription, StarterFile
from scorer_service.evaluation import tensors_file
from scorer_service.evaluation.estimate import RAW_OFFSET_NATS
from scorer_service.language import shapes

_FILES = Path(__file__).parent / "starter_files"


def files(
    description: EnvironmentDescription, profile: profiles.Profile, public_dir: Path
) -> Sequence[StarterFile]:
    """All files; `public_dir` holds those of `data/`. Reads; blocks."""
    values = {
        "parameter_count": f"{profile.parameter_count:,}",
        "embedding": shapes.EMBEDDING,
        "anchors": _anchors_in_words(description),
        "data_dir": profiles.DATA_DIR,
        "weights_file": profiles.WEIGHTS_FILE,
        "wall_limit_s": f"{profile.repair.wall_limit_s:g}",
        "place_count": str(profile.repair.place_count),
        "context_length": str(profile.shape.context_length),
        "floor_nats": f"{profile.floor_nats:g}",
        "limits": "\n".join(f"| {name} | {value} |" for name, value in description.limits),
        "source_limit": f"{description.source_limit_bytes >> 10} KiB",
    }

    def filled(name: str) -> bytes:
        return string.Template((_FILES / name).read_text()).substitute(values).encode()

    return [
        StarterFile("INSTRUCTIONS.md", filled("INSTRUCTIONS.md")),
        StarterFile("check.py", (_FILES / "check.py").read_bytes(), executable=True),
        StarterFile("repair.py", filled("repair.py"), executable=True),
        StarterFile("tensors_file.py", Path(tensors_file.__file__).read_bytes()),
        *(
            StarterFile(f"data/{path.name}", path.read_bytes())
            for path in sorted(public_dir.iterdir())
            if path.is_file()
        ),
    ]


def _anchors_in_words(description: EnvironmentDescription) -> str:
    anchors = description.anchors
    if anchors is None:
        return "This server has not measured a reference solution, so scores are raw only."
    starting, reference = (
        math.exp(raw) + RAW_OFFSET_NATS for raw in (anchors.starting_raw, anchors.reference_raw)
    )
    return (
        f"The damaged model has a loss of {starting:.3f} (normalised score 0), the reference {reference:.3f}"
        " (normalised score 1); more than 1 is possible."
    )
