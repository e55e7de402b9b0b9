"""Results of restricted_mlm and fix_embedding for a person: what is refused, or the loss with its error."""

from collections.abc import Iterator, Sequence
from datetime import timedelta

from scorer_client._cli.terminal import coloured, indented, table
from scorer_client._cli.verdict_words import ending_lines
from scorer_client._model_results import (
    FixEmbeddingResult,
    LossEstimate,
    RefusedOperator,
    RestrictedMlmResult,
)
from scorer_client._results import Verdict

_COLOUR_OF = {Verdict.SCORED: "green", Verdict.HIDDEN: "bold", Verdict.UNSTABLE: "yellow"}


def restricted_mlm(result: RestrictedMlmResult, *, colour: bool) -> str:
    """All of it, as text."""
    operators = [(_place(refused), refused.operator, refused.reason) for refused in result.refused_operators]
    times = (("training", result.training_time), ("judging", result.judging_time))
    return "\n".join(_lines(result, ("refused at", "operator", "why"), operators, times, colour=colour))


def fix_embedding(result: FixEmbeddingResult, *, colour: bool) -> str:
    """All of it, as text."""
    tensors = [(refused.name, refused.reason) for refused in result.refused_tensors]
    times = (("repair", result.repair_time), ("judging", result.judging_time))
    return "\n".join(_lines(result, ("refused tensor", "why"), tensors, times, colour=colour))


def _lines(
    result: RestrictedMlmResult | FixEmbeddingResult,
    header: Sequence[str],
    refused: Sequence[Sequence[str]],
    times: Sequence[tuple[str, timedelta | None]],
    *,
    colour: bool,
) -> Iterator[str]:
    if result.diagnostics:
        yield coloured("messages", "bold", wanted=colour)
        yield indented(result.diagnostics)
        yield ""
    if refused:
        # Coloured after the table is laid out: escapes have no width.
        titles, *rows = table(header, refused).split("\n")
        yield coloured(titles, "bold", wanted=colour)
        yield from (coloured(row, "red", wanted=colour) for row in rows)
        yield ""
    facts = [*_loss_facts(result.loss), *_time_facts(times)]
    if facts:
        yield from (f"{name:<8}  {value}" for name, value in facts)
        yield ""
    first, *others = ending_lines(result, colour=False)
    yield coloured(first, _COLOUR_OF.get(result.verdict, "red"), wanted=colour)
    yield from others


def _place(refused: RefusedOperator) -> str:
    if refused.line is None:
        return refused.file or "(unknown)"
    return f"{refused.file}:{refused.line}"


def _loss_facts(loss: LossEstimate | None) -> Iterator[tuple[str, str]]:
    if loss is not None:
        yield "loss", f"{loss.mean_nats:.4f} nats a token, standard error {loss.standard_error_nats:.2g}"
        yield "tokens", f"{loss.token_count:,} judged"


def _time_facts(times: Sequence[tuple[str, timedelta | None]]) -> Iterator[tuple[str, str]]:
    for name, duration in times:
        if duration is not None:
            yield name, f"{duration.total_seconds():.3g} s"
