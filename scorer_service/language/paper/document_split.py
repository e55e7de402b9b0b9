"""Which part of the text a document belongs to: by a keyed hash of what it says.

The key is drawn once for each prepared folder and never leaves it. With a known one, everybody who has the
published text could tell which documents are judged on, and learn those by heart.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

KEY_BYTES = 32
TRAINING = "training"
_HASH_BYTES = 8


@dataclass(frozen=True)
class DocumentSplit:
    """A fixed share of all documents for each part that is held out; the rest is training."""

    key: bytes
    held_out: Sequence[str]
    """Names of the parts that are held out."""
    share: float
    """Of all documents, for each of them."""

    def digest(self, document: str) -> bytes:
        """The same for documents that differ in white space and capitals alone."""
        content = "".join(document.split()).casefold().encode("utf-8", "surrogatepass")
        return hashlib.blake2b(content, key=self.key, digest_size=_HASH_BYTES).digest()

    def part(self, digest: bytes) -> str:
        """The part of the document with this digest."""
        place = int.from_bytes(digest, "big") / (1 << 8 * _HASH_BYTES)
        index = int(place / self.share)
        return self.held_out[index] if index < len(self.held_out) else TRAINING
