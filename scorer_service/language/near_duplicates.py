"""Passages that two splits share: runs of the same words, and passages that are mostly the same words.

Two rules, both on words without case and punctuation:

- a *run*: 13 words in a row that the other split has too (the length is that of GPT-3's decontamination,
  Brown et al. 2020, appendix C);
- a *reworked* passage: of the 5-word shingles of 40 words in a row, more than 40 % are in the other split.
  This finds what was edited every dozen words.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

RUN_WORDS = 13
SHINGLE_WORDS = 5
PASSAGE_WORDS = 40
SHARED_SHINGLES_LIMIT = 0.4

_WORD = re.compile(r"[^\W_]+")
_Shingle = tuple[str, ...]


class Shingles:
    """The runs and shingles of one split that a text under test has too, to look its passages up in."""

    def __init__(self, texts: Iterable[str], *, tested: Iterable[str]):
        """Of `texts`, keep what occurs in one of `tested`: a fraction of the memory that all would take."""
        runs: set[_Shingle] = set()
        shingles: set[_Shingle] = set()
        for text in tested:
            words = _words(text)
            runs.update(_sequences(words, RUN_WORDS))
            shingles.update(_sequences(words, SHINGLE_WORDS))
        self._runs: set[_Shingle] = set()
        self._shingles: set[_Shingle] = set()
        for text in texts:
            words = _words(text)
            self._runs.update(runs.intersection(_sequences(words, RUN_WORDS)))
            self._shingles.update(shingles.intersection(_sequences(words, SHINGLE_WORDS)))

    def shared_passages(self, text: str) -> list[tuple[int, int]]:
        """Where `text` has a passage that this split has too: half-open ranges of characters, merged."""
        places = [(match.start(), match.end()) for match in _WORD.finditer(text)]
        words = _words(text)
        shared = [0] * (len(words) + 1)
        for start, run in enumerate(_sequences(words, RUN_WORDS)):
            if run in self._runs:
                shared[start] += 1
                shared[start + RUN_WORDS] -= 1
        known = [shingle in self._shingles for shingle in _sequences(words, SHINGLE_WORDS)]
        width = PASSAGE_WORDS - SHINGLE_WORDS + 1
        count = sum(known[:width])
        for start in range(len(known) - width + 1):
            if start:
                count += known[start + width - 1] - known[start - 1]
            if count > SHARED_SHINGLES_LIMIT * width:
                shared[start] += 1
                shared[start + PASSAGE_WORDS] -= 1
        return list(_ranges(shared, places))


def _words(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(text)]


def _sequences(words: Sequence[str], length: int) -> Iterator[_Shingle]:
    return zip(*(words[offset:] for offset in range(length)), strict=False)


def _ranges(shared: list[int], places: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Character ranges of the words that are covered, from the differences of their cover."""
    depth, start = 0, 0
    for index, (begin, _) in enumerate(places):
        before = depth
        depth += shared[index]
        if depth and not before:
            start = begin
        elif before and not depth:
            yield start, places[index - 1][1]
    if depth and places:
        yield start, places[-1][1]
