"""What an agent starts from: instructions, the starting solution, public data, and a checker of its own.

The checker comes with the service's own code in one folder, `judging/`: what exports a model, checks its
graph, carries it out and measures a loss.
"""

import re
import string
from collections.abc import Iterator, Sequence
from pathlib import Path

import scorer_service.evaluation
import scorer_service.graph
from scorer_service.environments import loss_anchors, public_folder, public_listing
from scorer_service.environments.interface import EnvironmentDescription, StarterFile
from scorer_service.environments.restricted_mlm import profiles
from scorer_service.graph import document
from scorer_service.language import shipped
from scorer_service.sandbox import python_toolchain

_FILES = Path(__file__).parent / "starter_files"
_GRAPH = Path(scorer_service.graph.__file__).parent
_EVALUATION = Path(scorer_service.evaluation.__file__).parent
_NOT_NEEDED = {"document.py"}
"""It writes OPERATORS.md."""
_RENAMED = (
    ("scorer_service.graph", "judging.graph"),
    ("scorer_service.evaluation", "judging.evaluation"),
    ("from runner import", "from judging import"),
)
"""As the modules find each other in the starter."""


def files(
    description: EnvironmentDescription, profile: profiles.Profile, public_dir: Path, boundary_token: int
) -> Sequence[StarterFile]:
    """All files; `public_dir` holds those of `data/`. Reads; blocks."""
    values = {
        "anchors": loss_anchors.for_agents(description.anchors, "starting solution"),
        "vocabulary_size": f"{profile.vocabulary_size:,}",
        "window_length": str(profile.window_length),
        "mask_token": str(profile.mask_token),
        "draw_count": str(profile.draw_count),
        "token_limit": f"{profile.interface('cpu').token_limit:,}",
        "text_rows": public_listing.text_rows(public_dir, boundary_token),
        "left_out": public_listing.left_out(public_dir, profiles.DATA_DIR),
        "data_dir": profiles.DATA_DIR,
        "weights_file": profiles.WEIGHTS_FILE,
        "wall_limit_s": f"{profile.training.wall_limit_s:g}",
        "place_count": str(profile.training.place_count),
        "floor_nats": f"{profile.floor_nats:g}",
        "limits": "\n".join(f"| {name} | {value} |" for name, value in description.limits),
        "source_limit": f"{description.source_limit_bytes >> 10} KiB",
    }

    def filled(name: str) -> bytes:
        return string.Template((_FILES / name).read_text()).substitute(values).encode()

    return [
        StarterFile("INSTRUCTIONS.md", filled("INSTRUCTIONS.md")),
        StarterFile("OPERATORS.md", document.page().encode()),
        StarterFile("model.py", starting_model(profile)),
        StarterFile("train.py", filled("train.py"), executable=True),
        StarterFile("check.py", (_FILES / "check.py").read_bytes(), executable=True),
        StarterFile("judging/task.py", _numbers(profile)),
        *_judging(),
        *public_folder.starter_files(public_dir),
    ]


def starting_model(profile: profiles.Profile) -> bytes:
    """The module of the starting solution, with the sizes of the profile's text."""
    text = (shipped.RESTRICTED_MLM / "starting_model.py").read_text(encoding="utf-8")
    for name, number in {
        "VOCABULARY_SIZE": profile.vocabulary_size,
        "MASK_TOKEN": profile.mask_token,
        "WINDOW_LENGTH": profile.window_length,
    }.items():
        text = re.sub(rf"^{name} = \d+$", f"{name} = {number}", text, flags=re.MULTILINE)
    return text.encode()


def _numbers(profile: profiles.Profile) -> bytes:
    """A module of what a model is held to."""
    numbers = {
        "SEQUENCE_LENGTH": profile.window_length,
        "VOCABULARY_SIZE": profile.vocabulary_size,
        "MASK_TOKEN": profile.mask_token,
        "TOKEN_LIMIT": profile.interface("cpu").token_limit,
        "BATCH_ROWS": profile.batch_rows("cpu"),
        "MEMORY_LIMIT_BYTES": profile.memory_limit_bytes,
        "ARCHIVE_LIMIT_BYTES": profile.archive_limit_bytes,
        "WEIGHTS_LIMIT_BYTES": profile.weights_limit_bytes,
    }
    lines = ['"""The numbers of this task."""', "", *(f"{name} = {value}" for name, value in numbers.items())]
    return "\n".join([*lines, ""]).encode()


def _judging() -> Iterator[StarterFile]:
    """The folder of the checker's modules."""
    runner = python_toolchain.runner_folder()
    paths = {
        **{f"graph/{path.relative_to(_GRAPH)}": path for path in sorted(_GRAPH.rglob("*.py"))},
        **{f"evaluation/{name}.py": _EVALUATION / f"{name}.py" for name in ("__init__", "estimate", "loss")},
        **{f"{name}.py": runner / f"{name}.py" for name in ("__init__", "model_export", "submission")},
    }
    for name, path in paths.items():
        if path.name in _NOT_NEEDED:
            continue
        text = path.read_text()
        for ours, theirs in _RENAMED:
            text = text.replace(ours, theirs)
        yield StarterFile(f"judging/{name}", text.encode())
