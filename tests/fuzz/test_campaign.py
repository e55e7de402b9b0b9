"""A campaign itself: one that finds nothing in anything tests nothing."""

import random
from collections.abc import Iterator, Sequence
from typing import TypeVar

import pytest

from tests.fuzz import campaign
from tests.fuzz.campaign import Fault, Report
from tests.fuzz.guided import Corpus

LIMIT_BYTES = 100
T = TypeVar("T")


class Scripted:
    """Says of inputs and of its memory what it was told; of both the last again."""

    name = "scripted"
    growth_limit_bytes = LIMIT_BYTES

    def __init__(
        self,
        outcomes: Sequence[str | Exception] = ("well",),
        memory: Sequence[int] = (1000,),
        end: Fault | None = None,
    ) -> None:
        self._outcomes, self._memory, self._end = _again(outcomes), _again(memory), end
        self.drawn: list[float] = []
        self.is_closed = False

    def attempt(self, chance: random.Random) -> str:
        self.drawn.append(chance.random())
        outcome = next(self._outcomes)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    def resident_bytes(self) -> int:
        return next(self._memory)

    def close(self) -> None:
        self.is_closed = True
        if self._end is not None:
            raise self._end


def _again(values: Sequence[T]) -> Iterator[T]:
    yield from values
    while True:
        yield values[-1]


def test_a_surface_without_fault_is_well() -> None:
    surface = Scripted(["accepted", "refused"])
    report = campaign.run(surface, 1, count=20)
    assert report.is_well
    assert report.tried == 20
    assert report.outcomes == {"accepted": 1, "refused": 19}
    assert surface.is_closed


@pytest.mark.parametrize("error", [Fault("it must not"), KeyError("nobody expected this")])
def test_whatever_an_attempt_raises_is_a_failure_with_its_number(error: Exception) -> None:
    report = campaign.run(Scripted(["well", error, "well"]), 1, count=20, first=7)
    assert not report.is_well
    assert report.tried == 20
    assert report.failures == [f"input 8: {type(error).__name__}: {error}"]


def test_a_surface_that_is_not_well_in_the_end_is_a_failure() -> None:
    report = campaign.run(Scripted(end=Fault("still running")), 1, count=1)
    assert report.failures == ["at the end: still running"]
    assert not report.is_well


@pytest.mark.parametrize(("growth_bytes", "is_well"), [(LIMIT_BYTES, True), (LIMIT_BYTES + 1, False)])
def test_memory_may_grow_to_the_limit(growth_bytes: int, is_well: bool) -> None:
    report = campaign.run(Scripted(memory=[1000, 1000 + growth_bytes]), 1, count=5)
    assert report.growth_bytes == growth_bytes
    assert report.is_well is is_well


def test_memory_of_the_first_tenth_is_no_growth() -> None:
    # Asked for after 9 of 100 inputs, and once more at the end.
    report = campaign.run(Scripted(memory=[*range(1000, 9001, 1000), 9000 + LIMIT_BYTES]), 1, count=100)
    assert report.growth_bytes == LIMIT_BYTES


def test_inputs_of_a_seed_and_a_number_are_the_same() -> None:
    def drawn(seed: int, first: int = 0) -> list[float]:
        surface = Scripted()
        campaign.run(surface, seed, count=5, first=first)
        return surface.drawn

    assert drawn(1) == drawn(1)
    assert drawn(1)[2:] == drawn(1, first=2)[:3]
    assert not set(drawn(1)) & set(drawn(2))


def test_a_report_names_its_failures_and_its_seed() -> None:
    text = str(Report("rpc", 7, LIMIT_BYTES, tried=3, failures=["input 2: Fault: it must not"]))
    assert text.startswith("rpc: 3 inputs (seed 7), 1 failures;")
    assert text.endswith("\n  input 2: Fault: it must not")


def test_what_reaches_new_lines_is_kept() -> None:
    corpus: Corpus[int] = Corpus([0], [__file__])

    def read(value: int) -> str:
        if value > 2:
            return "large"
        return "small"

    for value in (0, 1, 3, 4):
        with corpus.watching(value):
            read(value)
    # The first reads lines that nothing had read, 3 another one; 1 and 4 nothing new.
    assert corpus.kept == [0, 0, 3]
