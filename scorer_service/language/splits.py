"""Which address goes into which split: whole addresses, by hash, in every era its share."""

import hashlib
from collections.abc import Iterable

SPLITS = ("training", "validation", "hidden")

SEED = "state of the union, first split"
"""Another seed is another split, and makes every published loss incomparable."""

STRATUM_SIZE = 16
"""Consecutive addresses, at least, of which each split gets its share: years in which style hardly drifts."""
HELD_OUT_PER_STRATUM = 3
"""All three hidden in every second stratum; in the others two are hidden and one is validation. So hidden is
just long enough for a standard error under 0.01 nats, and training loses no more than it must."""
HIDDEN_BESIDE_VALIDATION = 2


def assign(names: Iterable[str], seed: str = SEED) -> dict[str, str]:
    """The split of every address; names begin with the year, so their order is that of time.

    In each stratum the addresses are ranked by the SHA-256 of seed and name: the first are held out,
    the rest training.
    """
    ordered = sorted(names)
    stratum_count = max(1, len(ordered) // STRATUM_SIZE)
    split_of: dict[str, str] = {}
    for index in range(stratum_count):
        start, end = (len(ordered) * edge // stratum_count for edge in (index, index + 1))
        ranked = sorted(
            ordered[start:end], key=lambda name: hashlib.sha256(f"{seed}\n{name}".encode()).digest()
        )
        for rank, name in enumerate(ranked):
            if rank >= HELD_OUT_PER_STRATUM:
                split_of[name] = "training"
            elif index % 2 == 0 and rank >= HIDDEN_BESIDE_VALIDATION:
                split_of[name] = "validation"
            else:
                split_of[name] = "hidden"
    return split_of
