"""A mean loss with its standard error, and the raw score that follows from it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

RAW_OFFSET_NATS = 1.5
"""Subtracted before the logarithm, as in RE-Bench (arXiv:2411.15114)."""


@dataclass(frozen=True)
class LossEstimate:
    """Cross entropy over a sample of tokens."""

    mean_nats: float
    """For each token."""
    standard_error_nats: float
    """Of the mean, as far as other windows of such text would give another one."""
    token_count: int

    @property
    def raw_score(self) -> float:
        """ln(mean - 1.5), lower is better; -inf where the mean is 1.5 nats or less."""
        return raw_score(self.mean_nats)

    def raw_interval(self, errors: float = 1.96) -> tuple[float, float]:
        """Raw scores of the mean less and plus so many standard errors; 1.96: a confidence of 95 %."""
        margin = errors * self.standard_error_nats
        return raw_score(self.mean_nats - margin), raw_score(self.mean_nats + margin)


def raw_score(mean_nats: float) -> float:
    """ln(loss - 1.5); -inf where that is not defined."""
    excess = mean_nats - RAW_OFFSET_NATS
    return math.log(excess) if excess > 0 else -math.inf


def from_windows(sums_nats: Sequence[float], token_counts: Sequence[int]) -> LossEstimate:
    """The mean over all tokens: the sum of all losses over their number.

    Tokens of a window depend on each other, so windows are the units that vary: the standard error is that
    of a ratio of two sums over clusters, sqrt(n / (n - 1) * sum((s_i - m * c_i)^2)) / sum(c_i) (Cochran,
    Sampling Techniques, 3rd ed., 6.4). Several scorings of a window count as one cluster: add them up
    first.

    Raises ValueError for fewer than two windows, or none with a token.
    """
    count, token_count = len(sums_nats), sum(token_counts)
    if count < 2 or token_count == 0:
        raise ValueError(f"{count} windows with {token_count} tokens are too few for an estimate")
    mean = math.fsum(sums_nats) / token_count
    squares = math.fsum(
        (part - mean * tokens) ** 2 for part, tokens in zip(sums_nats, token_counts, strict=True)
    )
    return LossEstimate(mean, math.sqrt(count / (count - 1) * squares) / token_count, token_count)
