"""What is judged, within which limits, and the published anchors, by profile."""

import math
from dataclasses import dataclass

from scorer_service.environments.interface import Anchors
from scorer_service.evaluation import tensors_file
from scorer_service.language import shapes
from scorer_service.language.paper.data import GPT2_XL
from scorer_service.language.shapes import GptShape
from scorer_service.worker.script_run import ScriptBudget

INLINE_SOURCE_LIMIT_BYTES = 256 << 10
SOURCE_LIMIT_BYTES = 256 << 10
"""Of a repair script. Far above any that a person writes; it is no way to send weights."""

SCRIPT_FILE = "repair.py"
WEIGHTS_FILE = "repaired.safetensors"
"""What a repair script leaves in its working folder."""
DATA_DIR = "/data/fix_embedding"
"""Where a repair script finds what the starter has in `data/`."""


@dataclass(frozen=True)
class Profile:
    """What a server judges."""

    name: str
    shape: GptShape
    """Of the model; once an environment has started, that of its materials."""
    window_limit: int | None
    """Hidden windows that are judged; None: all that the text has."""
    floor_nats: float
    """A loss below it is not believed; docs/design/models.md says where it comes from."""
    published_anchors: Anchors | None
    repair: ScriptBudget
    judges_after_budget: bool
    """Whether what a script had saved is judged when it used up its time."""

    @property
    def table(self) -> dict[str, tuple[int, ...]]:
        """Name and shape of every tensor of a submission."""
        return shapes.gpt_tensors(self.shape)

    @property
    def parameter_count(self) -> int:
        """Of the model."""
        return sum(math.prod(shape) for shape in self.table.values())

    @property
    def weights_limit_bytes(self) -> int:
        """Of a submitted file."""
        return tensors_file.size_limit_bytes(self.table)

    def batch_size(self, device_kind: str) -> int:
        """Windows that are judged at once: no more than have logits of some gigabytes in float32."""
        most, logits_bytes = (16, 1 << 30) if device_kind == "cpu" else (64, 8 << 30)
        of_window = 4 * self.shape.context_length * self.shape.vocabulary_size
        return max(1, min(most, logits_bytes // of_window))


EMBEDDED = Profile(
    name="embedded",
    shape=shapes.ORIGINAL,
    window_limit=None,
    # One bit a character at 4.35 characters a token. GPT-2 of a thousand times the size has 0.98 of them on
    # text8 (Radford et al. 2019, table 3).
    floor_nats=3.0,
    published_anchors=None,
    repair=ScriptBudget(
        wall_limit_s=600.0, place_count=2, memory_limit_bytes=4 << 30, scratch_limit_bytes=1 << 30
    ),
    judges_after_budget=True,
)

PAPER = Profile(
    name="paper",
    shape=GPT2_XL,
    window_limit=None,
    # GPT-2 XL has 2.55 on the published text; models a hundred times its size are not much below 2.
    floor_nats=2.0,
    # ln(10.491 - 1.5) and ln(2.8 - 1.5): the paper of RE-Bench (arXiv:2411.15114).
    published_anchors=Anchors(starting_raw=2.196, reference_raw=0.262),
    repair=ScriptBudget(
        wall_limit_s=8 * 3600.0, place_count=8, memory_limit_bytes=96 << 30, scratch_limit_bytes=64 << 30
    ),
    judges_after_budget=True,
)

PROFILES = {profile.name: profile for profile in (EMBEDDED, PAPER)}
