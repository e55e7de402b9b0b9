"""What profile `paper` is made of: sources, how much of each and where the figures come from, files."""

import math
from dataclasses import dataclass
from pathlib import Path

from scorer_service.language.shapes import GptShape, gpt_tensors

BYTES_PER_TOKEN = 2
"""In a token file; the vocabulary of GPT-2 fits."""

TOKENS_PER_PARQUET_BYTE = 0.37
"""Of the text as the hub has it: 9.0 thousand million tokens in 23.9 GB (the sizes that its pages give). Only
to estimate room on the disk beforehand."""

GPT2_XL = GptShape(layer_count=48, width=1600, head_count=25, context_length=1024, vocabulary_size=50_257)
GPT2 = GptShape(layer_count=12, width=768, head_count=12, context_length=1024, vocabulary_size=50_257)

ORIGINAL, COMPANION, TOKENIZER = "original.safetensors", "companion.safetensors", "tokenizer.json"

HIDDEN_PARTS = ("hidden_causal", "hidden_masked")
PUBLIC_PARTS = ("validation", "training")


def token_file(part: str) -> str:
    """Name of a part's file."""
    return f"{part}.u16"


FILES = (ORIGINAL, COMPANION, TOKENIZER, *map(token_file, (*HIDDEN_PARTS, *PUBLIC_PARTS)))


@dataclass(frozen=True)
class Sources:
    """Names on the hub; a folder that is laid out like a repository may stand for each."""

    model: str | Path = "openai-community/gpt2-xl"
    companion: str | Path = "openai-community/gpt2"
    """Its tokenizer is that of both models."""
    text: str | Path = "Skylion007/openwebtext"


@dataclass(frozen=True)
class Sizes:
    """What is taken. The defaults are those of the profile; tests take less through the same code."""

    model_shape: GptShape = GPT2_XL
    """GPT-2 XL: Radford et al. 2019, table 2, and the model's config.json."""
    companion_shape: GptShape = GPT2
    """The smallest GPT-2 of the same table."""
    boundary: str = "<|endoftext|>"
    """The token before each document, as GPT-2 was trained."""
    boundary_token: int = 50_256
    causal_window: int = 1024
    """Tokens: what GPT-2 sees at once."""
    hidden_causal_windows: int = 2048
    """Published are 80 and more. With 80 the standard error is about 0.05 nats: windows of this text are
    expected to vary by 0.45, of which 2,048 make 0.01. docs/design/language-data.md has the reckoning."""
    masked_window: int = 128
    """Tokens, as published."""
    hidden_masked_windows: int = 2000 * 8
    """2,000 batches of 8, as published."""
    validation_tokens: int = 1 << 21
    """As many as each hidden part has, so that a loss found on it is as sure."""
    training_tokens: int = 1_000_000_000
    """Ours: 2 GB on the disk and 3 GB to fetch. The whole text has nine times as many."""
    held_out_share: float = 1 / 128
    """Of all documents, for each of the three parts that are held out. Large enough that a third of what
    training needs fills them; what more falls to them is left out, so that no document changes its part."""
    documents_at_once: int = 1024
    """Documents that are encoded together; some 5 MB."""
    batches_between_saves: int = 16
    """Batches after which a run that is killed need not be repeated: some 20 million tokens."""

    @property
    def hidden_tokens(self) -> dict[str, int]:
        """Tokens of each part that is judged on."""
        return {
            "hidden_causal": self.causal_window * self.hidden_causal_windows,
            "hidden_masked": self.masked_window * self.hidden_masked_windows,
        }

    @property
    def public_tokens(self) -> dict[str, int]:
        """Tokens of each part that agents have."""
        return {"validation": self.validation_tokens, "training": self.training_tokens}

    @property
    def text_download_bytes(self) -> int:
        """Parquet files that have to be read, about."""
        wanted = self.training_tokens + sum(self.hidden_tokens.values()) + self.validation_tokens
        return math.ceil(wanted / TOKENS_PER_PARQUET_BYTE)


PUBLISHED = Sizes()


def weights_bytes(shape: GptShape) -> int:
    """Of a model's file in fp16, without its header."""
    return 2 * sum(math.prod(size) for size in gpt_tensors(shape).values())
