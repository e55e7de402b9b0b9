"""What is judged, within which limits, and the published anchors, by profile."""

from dataclasses import dataclass

from scorer_service.environments.interface import Anchors
from scorer_service.graph import ArchiveLimits, ModelInterface
from scorer_service.worker.script_run import ScriptBudget

INLINE_SOURCE_LIMIT_BYTES = 256 << 10
SOURCE_LIMIT_BYTES = 256 << 10
"""Of a model's file, and of a training script. Far above any that a person writes; no way to send weights."""

MODEL_FILE = "model.py"
SCRIPT_FILE = "train.py"
WEIGHTS_FILE = "weights.safetensors"
"""What a training script leaves in its working folder."""
ARCHIVE_FILE = "model.pt2"
"""What the export leaves."""
DATA_DIR = "/data/restricted_mlm"
"""Where a training script finds what the starter has in `data/`."""


@dataclass(frozen=True)
class Profile:
    """What a server judges."""

    name: str
    vocabulary_size: int
    """Of the logits; once an environment has started, that of its materials. So is the next."""
    mask_token: int
    """Stands in the input where a token is to be predicted. May be one more than the vocabulary has."""
    window_length: int
    """Tokens in a window."""
    draw_count: int
    """Times that each hidden window is scored, each time with other tokens masked."""
    window_limit: int | None
    """Hidden windows that are judged; None: all that the text has."""
    floor_nats: float
    """A loss below it is not believed."""
    published_anchors: Anchors | None
    training: ScriptBudget
    judges_after_budget: bool
    """Whether what a training script had saved is judged when it used up its time."""
    export: ScriptBudget
    weights_limit_bytes: int
    """Of a file of weights, submitted or left by a script."""
    archive_limit_bytes: int
    """Of an exported model, whose weights are in the dtypes of the model itself."""
    memory_limit_bytes: int
    """Of the worker: the weights in float32 and the tensors that live at once in a batch."""
    judging_limit_s: float
    """After which a model that is still being judged is too slow."""

    def batch_rows(self, device_kind: str) -> int:
        """Windows that are judged at once."""
        return 16 if device_kind == "cpu" else 64

    def interface(self, device_kind: str) -> ModelInterface:
        """What a model takes and makes."""
        return ModelInterface(
            sequence_length=self.window_length,
            vocabulary=self.vocabulary_size,
            batch_rows=self.batch_rows(device_kind),
            memory_limit_bytes=self.memory_limit_bytes,
            token_limit=max(self.vocabulary_size, self.mask_token + 1),
        )

    @property
    def archive_limits(self) -> ArchiveLimits:
        """For the reader of an exported model."""
        return ArchiveLimits(archive_bytes=self.archive_limit_bytes)


EMBEDDED = Profile(
    name="embedded",
    vocabulary_size=4096,
    mask_token=1,
    window_length=128,
    # Six times 15 % of the tokens, none twice: docs/design/language-data.md.
    draw_count=6,
    window_limit=None,
    # language/entropy_floor.py, and a little above 1.5 nats, where the raw score is not defined any more.
    floor_nats=1.6,
    published_anchors=None,
    training=ScriptBudget(
        wall_limit_s=600.0, place_count=2, memory_limit_bytes=4 << 30, scratch_limit_bytes=1 << 30
    ),
    judges_after_budget=True,
    export=ScriptBudget(
        wall_limit_s=120.0, place_count=1, memory_limit_bytes=4 << 30, scratch_limit_bytes=1 << 30
    ),
    # Room for two tables of all pairs of tokens, in float32.
    weights_limit_bytes=160 << 20,
    archive_limit_bytes=320 << 20,
    memory_limit_bytes=2 << 30,
    judging_limit_s=3600.0,
)

PAPER = Profile(
    name="paper",
    # GPT-2's, and a mask of its own behind it.
    vocabulary_size=50_257,
    mask_token=50_257,
    window_length=128,
    draw_count=1,
    # 2,000 batches of 8.
    window_limit=16_000,
    # The best human of the paper has 2.9.
    floor_nats=1.6,
    # ln(7.636 - 1.5) and ln(4.636 - 1.5): the paper of RE-Bench (arXiv:2411.15114).
    published_anchors=Anchors(starting_raw=1.81, reference_raw=1.13),
    training=ScriptBudget(
        wall_limit_s=8 * 3600.0, place_count=8, memory_limit_bytes=96 << 30, scratch_limit_bytes=64 << 30
    ),
    judges_after_budget=True,
    export=ScriptBudget(
        wall_limit_s=600.0, place_count=1, memory_limit_bytes=32 << 30, scratch_limit_bytes=16 << 30
    ),
    weights_limit_bytes=4 << 30,
    archive_limit_bytes=4 << 30,
    memory_limit_bytes=32 << 30,
    judging_limit_s=3600.0,
)

PROFILES = {profile.name: profile for profile in (EMBEDDED, PAPER)}
