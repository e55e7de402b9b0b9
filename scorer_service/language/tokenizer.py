"""A byte-level BPE read from a `tokenizer.json`: encodes and decodes without the library that trained it."""

import itertools
import json
import re
import unicodedata
from collections.abc import Iterable
from pathlib import Path

# GPT-2's pattern (Radford et al. 2019) for a text whose every character beyond ASCII has been replaced by an
# ASCII one of the same class, since `re` knows no \p{L}.
_PIECE = re.compile(
    r"'s|'t|'re|'ve|'m|'ll|'d| ?[A-Za-z]+| ?[0-9]+| ?[^\sA-Za-z0-9]+|\s+(?!\S)|\s+",
    re.ASCII,
)
_LETTER, _NUMBER, _SPACE, _OTHER = "A", "0", "\t", "."

# White_Space beyond ASCII, from the Unicode Character Database (PropList.txt).
_WIDE_SPACES = frozenset("\x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000") | frozenset(
    chr(code) for code in range(0x2000, 0x200B)
)

_WORD_CACHE_LIMIT = 1 << 17
"""Words of which the tokens are kept: bounds memory on a text of never repeating words."""


class _CharacterClasses(dict[int, str]):
    """ASCII as it is; all else as one ASCII character of its class. For `str.translate`."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        if code < 128:
            kept = character
        elif character in _WIDE_SPACES:
            kept = _SPACE
        else:
            kept = {"L": _LETTER, "N": _NUMBER}.get(unicodedata.category(character)[0], _OTHER)
        self[code] = kept
        return kept


class Tokenizer:
    """Byte-level BPE with GPT-2's splitting into words, equal to the library `tokenizers` on text.

    Unlike there, names of special tokens in a text are text: `encode` never yields a special token.
    """

    def __init__(
        self, vocabulary: dict[str, int], merges: Iterable[tuple[str, str]], specials: dict[str, int]
    ):
        self._bytes_of: list[bytes] = [b""] * (max(vocabulary.values()) + 1)
        byte_of = {character: byte for byte, character in _byte_alphabet().items()}
        for written, token in vocabulary.items():
            if written not in specials:
                self._bytes_of[token] = bytes(byte_of[character] for character in written)
        token_of = {
            content: token for token, content in enumerate(self._bytes_of) if token not in specials.values()
        }
        self._token_of_byte = [token_of[bytes([byte])] for byte in range(256)]
        self._merge_of: dict[tuple[int, int], tuple[int, int]] = {}
        for rank, (left, right) in enumerate(merges):
            pair = (vocabulary[left], vocabulary[right])
            self._merge_of[pair] = (rank, vocabulary[left + right])
        self._classes = _CharacterClasses()
        self._cache: dict[str, tuple[int, ...]] = {}
        self.special_tokens = dict(specials)
        """Token of each special name. They decode to nothing."""

    @classmethod
    def load(cls, path: Path) -> "Tokenizer":
        """Read a `tokenizer.json` of the library `tokenizers`.

        Raises:
            ValueError: the file holds another kind of tokenizer.
        """
        written = json.loads(path.read_text(encoding="utf-8"))
        model = written["model"]
        # Files of early versions of the library, as that of GPT-2, do not say their type.
        kind = model.get("type", "BPE")
        if kind != "BPE" or written["pre_tokenizer"]["type"] != "ByteLevel":
            raise ValueError(f"{path}: not a byte-level BPE, but {kind}: convert it, or load another file")
        merges = [tuple(merge.split(" ") if isinstance(merge, str) else merge) for merge in model["merges"]]
        specials = {added["content"]: added["id"] for added in written["added_tokens"] if added["special"]}
        return cls(model["vocab"], merges, specials)

    @property
    def vocabulary_size(self) -> int:
        """Number of tokens, special ones included."""
        return len(self._bytes_of)

    def encode(self, text: str) -> list[int]:
        """The tokens of `text`; without special ones."""
        tokens: list[int] = []
        cache = self._cache
        for match in _PIECE.finditer(text.translate(self._classes)):
            word = text[match.start() : match.end()]
            known = cache.get(word)
            if known is None:
                known = tuple(self._merge(word.encode("utf-8")))
                if len(cache) >= _WORD_CACHE_LIMIT:
                    cache.clear()
                cache[word] = known
            tokens.extend(known)
        return tokens

    def decode_bytes(self, tokens: Iterable[int]) -> bytes:
        """The bytes of `tokens`. A cut inside a character leaves part of it.

        Raises:
            IndexError: a token outside the vocabulary.
        """
        return b"".join(map(self._bytes_of.__getitem__, tokens))

    def decode(self, tokens: Iterable[int]) -> str:
        """The text of `tokens`; parts of characters become U+FFFD."""
        return self.decode_bytes(tokens).decode("utf-8", errors="replace")

    def _merge(self, word: bytes) -> list[int]:
        """Merge pairs, the first learnt first, until none is left."""
        tokens = [self._token_of_byte[byte] for byte in word]
        while len(tokens) > 1:
            ranked = [
                (merge[0], at, merge[1])
                for at, pair in enumerate(itertools.pairwise(tokens))
                if (merge := self._merge_of.get(pair)) is not None
            ]
            if not ranked:
                break
            _, at, merged = min(ranked)
            tokens[at : at + 2] = [merged]
        return tokens


def _byte_alphabet() -> dict[int, str]:
    """The printable character that stands for each byte in a byte-level vocabulary, as GPT-2 chose them."""
    printable = [*range(ord("!"), ord("~") + 1), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in set(printable)]
    alphabet = {byte: chr(byte) for byte in printable}
    alphabet.update({byte: chr(256 + index) for index, byte in enumerate(others)})
    return alphabet
