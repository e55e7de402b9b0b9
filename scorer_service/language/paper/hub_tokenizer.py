"""The hub's own tokenizer of GPT-2, by the library that wrote it: many documents at once, on all cores."""

from array import array
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from scorer_service.hub.extra import library
from scorer_service.language.paper.preparation import PreparationFailed

_SAMPLE = "It's 1\u00bd caf\u00e9s \u2014\u00a0\u6f22\U0001f600\n\n\t  end "


class HubTokenizer:
    """Byte-level BPE; names of special tokens in a text are text.

    Raises:
        PreparationFailed: the file holds another tokenizer.
    """

    def __init__(self, file: Path, *, vocabulary_size: int, boundary: str, boundary_token: int) -> None:
        tokenizers = library("tokenizers")
        try:
            self._tokenizer: Any = tokenizers.Tokenizer.from_file(str(file))
        except Exception as error:  # the library raises nothing more special
            raise PreparationFailed(
                f"{file} is no tokenizer: {error}; delete it to have it fetched again"
            ) from error
        self._tokenizer.encode_special_tokens = True
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        found = self._tokenizer.get_vocab_size()
        if found != vocabulary_size:
            raise _other(file, f"{found} tokens, not {vocabulary_size}")
        if (token := self._tokenizer.token_to_id(boundary)) != boundary_token:
            raise _other(file, f"{boundary} as token {token}, not {boundary_token}")
        self.boundary_token = boundary_token
        tokens = self._tokenizer.encode(_SAMPLE + boundary, add_special_tokens=False).ids
        if self._tokenizer.decode(tokens, skip_special_tokens=False) != _SAMPLE + boundary:
            raise _other(file, "no tokens for some bytes")
        if boundary_token in tokens:
            raise _other(file, f"no way to take {boundary} for text")

    def encode(self, documents: Sequence[str]) -> list["array[int]"]:
        """The tokens of each document, after the boundary token."""
        encodings = self._tokenizer.encode_batch_fast(list(documents), add_special_tokens=False)
        return [array("H", [self.boundary_token, *encoding.ids]) for encoding in encodings]

    def documents(self, tokens: "array[int]") -> list[str]:
        """The texts between boundary tokens; of a last one that was cut, what there is."""
        starts = [index for index, token in enumerate(tokens) if token == self.boundary_token]
        ends = [*starts[1:], len(tokens)]
        pieces = [tokens[start + 1 : end].tolist() for start, end in zip(starts, ends, strict=True)]
        texts: list[str] = self._tokenizer.decode_batch(pieces, skip_special_tokens=False)
        return texts


def _other(file: Path, what: str) -> PreparationFailed:
    return PreparationFailed(
        f"{file} has {what}: it is not the tokenizer that was expected; see what the hub has there now"
    )
