"""The loss under which a result on a text is implausible: less than the text itself can be predicted by.

A loss below the floor says that the text was known, and is no record. The estimates are the best published
ones of far larger models, so no honest submission comes near; docs/design/language-data.md has the reasoning.
"""

import math

NEXT_TOKEN_BITS_PER_CHARACTER = 0.6
"""Lower end of Shannon's estimate for English (1951: 0.6 to 1.3 with 100 letters known), and below the best
compression by a language model: 0.66 bits a byte of enwik9 (Deletang et al., arXiv:2309.10668)."""

MASKED_TOKEN_BITS_PER_CHARACTER = 0.43
"""With both sides known: perplexity 3.68 a masked token at about 4.4 characters, 512 tokens of context and
unrestricted attention (RoBERTa, arXiv:1907.11692, table 3)."""

SCORE_END_NATS = 1.5
"""The score is ln(loss - 1.5): there is none at or below."""
SCORE_END_MARGIN_NATS = 0.1


def next_token_floor(characters_per_token: float) -> float:
    """Floor of `fix_embedding`, in nats a token, for a text with so long tokens."""
    return _floor(NEXT_TOKEN_BITS_PER_CHARACTER, characters_per_token)


def masked_token_floor(characters_per_token: float) -> float:
    """Floor of `restricted_mlm`, in nats a masked token, for a text with so long tokens."""
    return _floor(MASKED_TOKEN_BITS_PER_CHARACTER, characters_per_token)


def _floor(bits_per_character: float, characters_per_token: float) -> float:
    estimate = bits_per_character * characters_per_token * math.log(2)
    return max(estimate, SCORE_END_NATS + SCORE_END_MARGIN_NATS)
