"""The models that ship: their files, their digests, and the losses that were measured of them."""

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scorer_service.language.corpus import read_pinned

MODELS = Path(__file__).parent / "models"
RESTRICTED_MLM = Path(__file__).parent / "restricted_mlm"
"""The modules with `get_model()` and the training scripts, which are also a starter's files."""


@dataclass(frozen=True)
class Loss:
    """A measured loss, in nats a predicted token."""

    mean: float
    standard_error: float
    """Over windows, taken as independent."""
    window_deviation: float
    """Standard deviation of a window's mean."""
    tokens: int


@dataclass(frozen=True)
class ShippedModel:
    """A model's weights, in fp16, and how well it does."""

    file: Path
    sha256: str
    losses: dict[str, Loss]
    """By text: `validation`, `hidden`, and `slice`, the first windows of validation."""

    def read(self) -> bytes:
        """The safetensors file.

        Raises:
            CorpusDamaged: it is not the one that was measured.
        """
        return read_pinned(self.file, self.sha256)


MODEL_NAMES = ("original", "companion", "restricted_mlm_starting", "restricted_mlm_reference")


def load_models() -> dict[str, ShippedModel]:
    """All models that ship, by name; see `MODEL_NAMES`."""
    written = measurements()
    return {
        name: ShippedModel(
            file=MODELS / written[name]["file"], sha256=written[name]["sha256"], losses=losses(written[name])
        )
        for name in MODEL_NAMES
    }


def losses(entry: dict[str, Any]) -> dict[str, Loss]:
    """The losses in an entry of the manifest; `damaged` and `retrained` are entries without a file."""
    return {part: Loss(**entry[part]) for part in ("validation", "slice", "hidden")}


def measurements() -> dict[str, Any]:
    """The manifest as written."""
    return tomllib.loads((MODELS / "manifest.toml").read_text(encoding="utf-8"))
