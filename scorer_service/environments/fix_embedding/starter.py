"""What an agent starts from: instructions, the damaged model, public data, a naive repair and a checker."""

import string
from collections.abc import Sequence
from pathlib import Path

from scorer_service.environments import loss_anchors, public_folder, public_listing
from scorer_service.environments.fix_embedding import profiles
from scorer_service.environments.interface import EnvironmentDescription, StarterFile
from scorer_service.evaluation import tensors_file
from scorer_service.language import shapes

_FILES = Path(__file__).parent / "starter_files"


def files(
    description: EnvironmentDescription, profile: profiles.Profile, public_dir: Path, boundary_token: int
) -> Sequence[StarterFile]:
    """All files; `public_dir` holds those of `data/`. Reads; blocks."""
    values = {
        "parameter_count": f"{profile.parameter_count:,}",
        "embedding": shapes.EMBEDDING,
        "anchors": loss_anchors.for_agents(description.anchors, "damaged model"),
        "text_rows": public_listing.text_rows(public_dir, boundary_token),
        "left_out": public_listing.left_out(public_dir, profiles.DATA_DIR),
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
        *public_folder.starter_files(public_dir),
    ]
