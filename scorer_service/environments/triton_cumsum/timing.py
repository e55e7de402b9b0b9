"""Statistics of timed calls: the median, how well it is known, and what is too fast to be true."""

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Distribution:
    """Where the median of the trials lies. Times are milliseconds a call."""

    median_ms: float
    lower_ms: float
    """Lower end of the confidence interval of the median."""
    upper_ms: float
    trial_count: int

    @property
    def spread(self) -> float:
        """Width of the confidence interval as a share of the median."""
        return (self.upper_ms - self.lower_ms) / self.median_ms

    @property
    def raw_score(self) -> float:
        """ln(median in milliseconds)."""
        return math.log(self.median_ms)


def distribution(samples_ns: Sequence[int]) -> Distribution:
    """The distribution of samples in nanoseconds. Raises ValueError for too few, or one that is not positive.

    The interval is that of order statistics: no assumption is made on how times are distributed, and times
    are never normal.
    """
    ordered = sorted(samples_ns)
    if ordered and ordered[0] <= 0:
        raise ValueError(f"a call cannot take {ordered[0]} ns")
    lower, upper = interval_ranks(len(ordered))
    return Distribution(
        median_ms=statistics.median(ordered) / 1e6,
        lower_ms=ordered[lower] / 1e6,
        upper_ms=ordered[upper] / 1e6,
        trial_count=len(ordered),
    )


def interval_ranks(count: int, confidence: float = CONFIDENCE) -> tuple[int, int]:
    """Which of `count` sorted samples, from 0, bound the median. Raises ValueError for too few of them.

    How many of n samples lie under the true median follows the binomial distribution B(n, 1/2), so the
    interval from the (k+1)-th smallest to the (k+1)-th largest misses it with probability 2 P(B <= k)
    (David and Nagaraja, Order Statistics, section 7.1). The ranks are the largest k that keeps this within
    1 - confidence.
    """
    # In whole numbers: 2 ** -count is 0 as a float from 1075 samples on.
    allowed = int((1 - confidence) / 2 * 2**64) * 2**count
    rank, below = -1, 1
    while below * 2**64 <= allowed:
        rank += 1
        below += math.comb(count, rank + 1)
    if rank < 0:
        raise ValueError(f"{count} samples are too few for an interval of {confidence:.0%} confidence")
    return rank, count - 1 - rank


def floor_ns(element_count: int, copy_bytes_per_s: float) -> float:
    """The least time in which n int32 can be read and n be written, at the speed of the fastest copy."""
    return 8 * element_count / copy_bytes_per_s * 1e9


def too_fast(samples_ns: Sequence[int], least_ns: float) -> list[int]:
    """The samples under the floor. They are looked for before anything is averaged."""
    return [sample for sample in samples_ns if sample < least_ns]
