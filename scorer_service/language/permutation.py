"""The damage of `fix_embedding`: rows of the token embedding change places by a secret seed."""

import hashlib
import hmac
import io
from collections.abc import Iterator, Sequence
from typing import IO

from scorer_service.language import tensor_file
from scorer_service.language.shapes import EMBEDDING

MINIMUM_SEED_BYTES = 16
"""128 bits: nobody finds the permutation by trying seeds."""

_DOMAIN = b"fix_embedding: rows of the token embedding, first scheme\n"
"""Keeps the same seed from giving the same order anywhere else. A new scheme needs a new text."""


class _Draws:
    """Uniform whole numbers from a seed: HMAC-SHA256 of a counter, eight bytes a draw."""

    def __init__(self, seed: bytes):
        self._seed = seed
        self._counter = 0
        self._stock = b""

    def below(self, bound: int) -> int:
        """A number from 0 to `bound` - 1, each as likely as any other."""
        accepted = (1 << 64) - (1 << 64) % bound
        while True:
            if not self._stock:
                block = _DOMAIN + self._counter.to_bytes(8, "little")
                self._stock = hmac.digest(self._seed, block, hashlib.sha256)
                self._counter += 1
            drawn, self._stock = int.from_bytes(self._stock[:8], "little"), self._stock[8:]
            if drawn < accepted:
                return drawn % bound


def permutation(seed: bytes, size: int) -> list[int]:
    """An order of 0 to `size` - 1 from a secret seed, by Fisher and Yates's shuffle.

    Raises:
        ValueError: the seed is too short to be a secret.
    """
    if len(seed) < MINIMUM_SEED_BYTES:
        raise ValueError(f"a seed of {len(seed)} bytes: at least {MINIMUM_SEED_BYTES} random ones are needed")
    draws = _Draws(seed)
    order = list(range(size))
    for last in range(size - 1, 0, -1):
        other = draws.below(last + 1)
        order[last], order[other] = order[other], order[last]
    return order


def inverse(order: Sequence[int]) -> list[int]:
    """The order that undoes `order`."""
    undone = [0] * len(order)
    for place, source in enumerate(order):
        undone[source] = place
    return undone


def damage(tensors: bytes, seed: bytes) -> bytes:
    """A safetensors file with row i of the token embedding replaced by row `permutation(seed)[i]`.

    Raises:
        TensorFileInvalid: no safetensors file, or none with a token embedding.
        ValueError: the seed is too short.
    """
    return b"".join(damaged(io.BytesIO(tensors), seed))


def damaged(file: IO[bytes], seed: bytes) -> Iterator[bytes]:
    """The same in pieces, of a file that may not fit into memory."""
    return tensor_file.rows_in_order(file, EMBEDDING, lambda rows: permutation(seed, rows))


def repair(tensors: bytes, seed: bytes) -> bytes:
    """What `damage` was given: exact recovery, the best that putting rows back can do."""
    return b"".join(
        tensor_file.rows_in_order(
            io.BytesIO(tensors), EMBEDDING, lambda rows: inverse(permutation(seed, rows))
        )
    )
