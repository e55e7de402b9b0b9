"""The statistics against known values."""

import math
import random

import pytest

from scorer_service.environments.triton_cumsum import timing


@pytest.mark.parametrize(
    # Ranks from 1 of the 95 % interval of the median, as tables of the sign test have them.
    ("count", "lower", "upper"),
    [
        *((6, 1, 6), (8, 1, 8), (9, 2, 8), (10, 2, 9), (15, 4, 12), (20, 6, 15), (25, 8, 18)),
        # The last by the normal approximation: 2000 - 1.96 * sqrt(1000) = 1938.02.
        *((30, 10, 21), (100, 40, 61), (4000, 1938, 2063)),
    ],
)
def test_the_interval_is_that_of_the_tables(count: int, lower: int, upper: int) -> None:
    assert timing.interval_ranks(count) == (lower - 1, upper - 1)


@pytest.mark.parametrize("count", range(6))
def test_too_few_samples_have_no_interval(count: int) -> None:
    with pytest.raises(ValueError, match="too few"):
        timing.distribution([1000] * count)


def test_the_interval_covers_the_true_median_as_often_as_it_says() -> None:
    draw = random.Random(7)
    covered = 0
    for _ in range(2000):
        found = timing.distribution([round(1e6 * draw.lognormvariate(0, 0.5)) for _ in range(30)])
        covered += found.lower_ms <= 1.0 <= found.upper_ms
    # 95.7 % for 30 samples, give or take 4 standard errors.
    assert 0.939 <= covered / 2000 <= 0.975


def test_median_interval_and_score() -> None:
    found = timing.distribution([k * 100_000 for k in (9, 1, 2, 8, 3, 7, 4, 6, 5, 10)])
    assert (found.median_ms, found.lower_ms, found.upper_ms, found.trial_count) == (0.55, 0.2, 0.9, 10)
    assert found.spread == pytest.approx(0.7 / 0.55)
    assert found.raw_score == pytest.approx(math.log(0.55))


def test_one_outlier_moves_nothing() -> None:
    steady = timing.distribution([1_000_000] * 29 + [1_000_001])
    struck = timing.distribution([1_000_000] * 29 + [10**12])
    assert steady.median_ms == struck.median_ms == 1.0
    assert struck.spread == 0


@pytest.mark.parametrize("wrong", [0, -5])
def test_a_time_that_cannot_be_is_refused(wrong: int) -> None:
    with pytest.raises(ValueError, match=f"cannot take {wrong} ns"):
        timing.distribution([1000] * 30 + [wrong])


def test_the_floor_is_eight_bytes_an_element() -> None:
    # 10^8 elements at 2 TB/s.
    assert timing.floor_ns(10**8, 2e12) == pytest.approx(400_000)


def test_a_single_sample_under_the_floor_is_found() -> None:
    assert timing.too_fast([500, 400, 399, 800], 400) == [399]
    assert timing.too_fast([500, 400, 800], 400) == []
