"""Verdicts and scores in words, the same for every environment."""

from collections.abc import Iterator
from typing import TypeAlias

from scorer_client._cli.terminal import coloured, printable
from scorer_client._model_results import FixEmbeddingResult, RestrictedMlmResult
from scorer_client._results import RustCodecontestsResult, Score, TritonCumsumResult

AnyResult: TypeAlias = RustCodecontestsResult | TritonCumsumResult | RestrictedMlmResult | FixEmbeddingResult


def score_words(score: Score | None) -> str:
    """The score in words; `no score` where there is none."""
    if score is None:
        return "no score"
    normalized = "not normalised" if score.normalized is None else f"normalised {score.normalized:.4g}"
    return f"raw {score.raw:.6g}, {normalized}"


def verdict_words(value: str) -> str:
    """An enum's value as words."""
    return value.replace("_", " ")


def ending_lines(result: AnyResult, *, colour: bool) -> Iterator[str]:
    """What every report ends with: verdict, score, and the ids that name it."""
    summary = f"{verdict_words(result.verdict.value)}: {printable(result.summary)}"
    yield coloured(summary, "bold", wanted=colour)
    yield score_words(result.score)
    yield f"job {printable(result.job_id)}, request {result.request_id}"
