"""The result of triton_cumsum for a person: what is wrong, or the time with its confidence interval."""

from collections.abc import Iterator

from scorer_client._cli.terminal import coloured, indented, printable
from scorer_client._cli.verdict_words import ending_lines
from scorer_client._results import TritonCumsumResult, Verdict


def report(result: TritonCumsumResult, *, colour: bool) -> str:
    """All of it, as text."""
    return "\n".join(_lines(result, colour=colour))


def _lines(result: TritonCumsumResult, *, colour: bool) -> Iterator[str]:
    if result.diagnostics:
        yield coloured("what is wrong", "bold", wanted=colour)
        yield indented(result.diagnostics)
        yield ""
    facts = list(_facts(result))
    if facts:
        yield from (f"{name:<10}  {printable(value)}" for name, value in facts)
        yield ""
    for line_number, line in enumerate(ending_lines(result, colour=False)):
        if line_number:
            yield line
        else:
            yield coloured(line, _COLOUR_OF.get(result.verdict, "red"), wanted=colour)


_COLOUR_OF = {Verdict.SCORED: "green", Verdict.HIDDEN: "bold", Verdict.UNSTABLE: "yellow"}


def _facts(result: TritonCumsumResult) -> Iterator[tuple[str, str]]:
    timing = result.timing
    if timing is not None:
        half_width = max(timing.upper_ms - timing.median_ms, timing.median_ms - timing.lower_ms)
        share = f" (within {100 * half_width / timing.median_ms:.1f} %)" if timing.median_ms > 0 else ""
        yield "median", f"{timing.median_ms:.4g} ms"
        yield "95 % CI", f"{timing.lower_ms:.4g} to {timing.upper_ms:.4g} ms{share}"
        yield "trials", f"{timing.trial_count}, of {timing.element_count:,} elements each"
    if result.compile_time is not None:
        yield "first call", f"{result.compile_time.total_seconds():.3g} s with compilation; not in the score"
    if result.device:
        yield "device", result.device
