"""Scrambles a model: permutes the rows of its token embedding by the secret of the installation."""

import hashlib
import hmac
import os

from scorer_service.environments.fix_embedding import submission
from scorer_service.evaluation import tensors_file
from scorer_service.language import shapes

_PURPOSE = b"rows of the token embedding of fix_embedding"


def permutation(secret: bytes, row_count: int) -> list[int]:
    """A permutation that only who has the secret can tell: rows in the order of their HMAC-SHA256."""

    def mark(row: int) -> bytes:
        return hmac.digest(secret, _PURPOSE + row.to_bytes(4, "little"), hashlib.sha256)

    return sorted(range(row_count), key=mark)


def damaged(weights: bytes, secret: bytes) -> bytes:
    """A safetensors file with the rows permuted: row `i` is row `permutation[i]` of the original.

    Raises WeightsRefused for a file that is not of the embedded model.
    """
    descriptor = submission.memory_file(weights)
    try:
        stored = tensors_file.read_header(descriptor, shapes.gpt_tensors(shapes.ORIGINAL))
    finally:
        os.close(descriptor)
    embedding = stored[shapes.EMBEDDING]
    row_count = embedding.shape[0]
    row_bytes = embedding.size_bytes // row_count
    begin, end = embedding.offset, embedding.offset + embedding.size_bytes
    rows = [
        weights[begin + row * row_bytes : begin + (row + 1) * row_bytes]
        for row in permutation(secret, row_count)
    ]
    return weights[:begin] + b"".join(rows) + weights[end:]
