"""Finds public documents that repeat a passage of a hidden one, at millions of words a second.

Runs of 13 words (`near_duplicates`) of all hidden documents are kept as hashes. Of a public document every
13th run is looked up: whatever it has in common with a hidden one over 25 words contains one of those. Words
are compared without case and punctuation.
"""

import re
from collections.abc import Iterable

from scorer_service.language.near_duplicates import RUN_WORDS

CERTAIN_WORDS = 2 * RUN_WORDS - 1
"""A passage of so many words is always found; a shorter one by chance."""

_WORD = re.compile(r"[^\W_]+")


class HiddenPassages:
    """The passages of hidden documents, to look public ones up in: some 80 bytes a word."""

    def __init__(self, documents: Iterable[str]) -> None:
        self._runs: set[int] = set()
        for document in documents:
            words = _words(document)
            self._runs.update(
                hash(tuple(words[start : start + RUN_WORDS])) for start in range(len(words) - RUN_WORDS + 1)
            )

    def repeated_in(self, document: str) -> bool:
        """Whether the document has a passage of `CERTAIN_WORDS` words that a hidden one has too."""
        words = _words(document)
        return any(
            hash(tuple(words[start : start + RUN_WORDS])) in self._runs
            for start in range(0, len(words) - RUN_WORDS + 1, RUN_WORDS)
        )


def _words(document: str) -> list[str]:
    return _WORD.findall(document.lower())
