"""What is measured: sizes and how often, by profile and kind of device; and the limits of a submission."""

from collections.abc import Mapping
from dataclasses import dataclass

import scorer_launcher

from scorer_service.environments.interface import Anchors

INLINE_SOURCE_LIMIT_BYTES = 256 << 10
SOURCE_LIMIT_BYTES = 256 << 10
"""Far above any kernel that a person writes; a table of answers does not get far in it."""

PUBLISHED_ANCHORS = Anchors(starting_raw=1.5535, reference_raw=0.4700)
"""ln(4.728 ms) and ln(1.6 ms) on an H100, for 10^8 elements: the paper of RE-Bench (arXiv:2411.15114)."""
PUBLISHED_DEVICE = "H100"


@dataclass(frozen=True)
class Measurement:
    """How submissions are timed on one kind of device."""

    element_count: int
    """Nominal; each session draws its own within 0.1 % of it."""
    trial_count: int
    """Timed windows in a round."""
    calls_per_window: int
    round_limit: int
    """Rounds at most. Another is run where the median is not known well enough; all count together."""
    spread_limit: float
    """Widest confidence interval that is ranked, as a share of the median."""


_CPU = Measurement(element_count=65_536, trial_count=41, calls_per_window=1, round_limit=3, spread_limit=0.15)
_CUDA = Measurement(element_count=10**8, trial_count=41, calls_per_window=1, round_limit=3, spread_limit=0.05)


@dataclass(frozen=True)
class Profile:
    """What a server measures."""

    name: str
    measurements: Mapping[str, Measurement]
    """By kind of device, "cpu" or "cuda"."""
    has_published_anchors: bool

    def anchors_without_calibration(self, kind: str, device_name: str) -> Anchors | None:
        """The published anchors, where they were measured on a device like this one."""
        same_device = kind == "cuda" and PUBLISHED_DEVICE in device_name
        return PUBLISHED_ANCHORS if self.has_published_anchors and same_device else None


PROFILES = {
    profile.name: profile
    for profile in (
        Profile("embedded", {"cpu": _CPU, "cuda": _CUDA}, has_published_anchors=False),
        Profile("paper", {"cpu": _CPU, "cuda": _CUDA}, has_published_anchors=True),
    )
}


@dataclass(frozen=True)
class PhaseLimits:
    """Wall time of each phase of a submission, in seconds; being frozen does not count."""

    load_s: float = 30.0
    """torch and triton are imported already. A submission that hangs here keeps a core from everybody."""
    public_s: float = 180.0
    hidden_s: float = 120.0
    measure_s: float = 120.0
    """Of each round."""


PHASE_LIMITS = PhaseLimits()
MEMORY_LIMIT_BYTES = 4 << 30
GPU_HOST_MEMORY_LIMIT_BYTES = 16 << 30
PROCESS_LIMIT = 64
SCRATCH_LIMIT_BYTES = 512 << 20
OUTPUT_LIMIT_BYTES = 1 << 20


def memory_limit_bytes(kind: str) -> int:
    """Of the host's memory, by kind of device."""
    return MEMORY_LIMIT_BYTES if kind == "cpu" else GPU_HOST_MEMORY_LIMIT_BYTES


def run_limits(kind: str, measurement: Measurement) -> scorer_launcher.Limits:
    """What one submission may use from its start to its end."""
    limits = PHASE_LIMITS
    wall_limit_s = (
        limits.load_s + limits.public_s + limits.hidden_s + measurement.round_limit * limits.measure_s
    )
    return scorer_launcher.Limits(
        # More than one core can give in that time, so that the wall limits of the phases are what is named.
        cpu_limit_s=2 * wall_limit_s,
        wall_limit_s=wall_limit_s,
        memory_limit_bytes=memory_limit_bytes(kind),
        output_limit_bytes=OUTPUT_LIMIT_BYTES,
        process_limit=PROCESS_LIMIT,
        file_size_limit_bytes=SCRATCH_LIMIT_BYTES,
        scratch_limit_bytes=SCRATCH_LIMIT_BYTES,
        # Triton and the inductor open many files while they compile.
        open_files_limit=1024,
    )
