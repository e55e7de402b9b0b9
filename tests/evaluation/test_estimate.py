"""A mean, its standard error by windows, and the raw score."""

import math
import random

import pytest

from scorer_service.evaluation import estimate
from scorer_service.evaluation.estimate import LossEstimate


def test_the_mean_weighs_every_token_alike() -> None:
    found = estimate.from_windows([10.0, 1.0], [10, 90])
    assert found.mean_nats == pytest.approx(11 / 100)
    assert found.token_count == 100


def test_windows_of_one_size_have_the_textbook_standard_error() -> None:
    sums = [4.0, 6.0, 11.0, 3.0]
    means = [part / 2 for part in sums]
    mean = sum(means) / 4
    deviation = math.sqrt(sum((part - mean) ** 2 for part in means) / 3)
    assert estimate.from_windows(sums, [2] * 4).standard_error_nats == pytest.approx(deviation / math.sqrt(4))


def test_the_standard_error_is_how_far_means_of_such_texts_are_apart() -> None:
    """Tokens of a window share a topic: an error by tokens would be several times too small."""
    draw = random.Random(1)

    def text() -> LossEstimate:
        sums, counts = [], []
        for _ in range(200):
            topic, count = draw.gauss(4, 1), draw.choice([15, 25])
            sums.append(sum(draw.gauss(topic, 0.5) for _ in range(count)))
            counts.append(count)
        return estimate.from_windows(sums, counts)

    texts = [text() for _ in range(200)]
    means = [found.mean_nats for found in texts]
    centre = sum(means) / len(means)
    spread = math.sqrt(sum((mean - centre) ** 2 for mean in means) / (len(means) - 1))
    told = sum(found.standard_error_nats for found in texts) / len(texts)
    assert told == pytest.approx(spread, rel=0.15)


def test_raw_scores_are_those_published() -> None:
    assert LossEstimate(10.491, 0.01, 1000).raw_score == pytest.approx(2.196, abs=1e-3)
    assert LossEstimate(2.8, 0.01, 1000).raw_score == pytest.approx(0.262, abs=1e-3)


@pytest.mark.parametrize("mean", [1.5, 1.4999, 0.0, -3.0])
def test_a_loss_without_a_logarithm_is_no_great_score_by_accident(mean: float) -> None:
    assert LossEstimate(mean, 0.01, 1000).raw_score == -math.inf


def test_the_interval_of_the_raw_score_is_that_of_the_loss() -> None:
    low, high = LossEstimate(4.0, 0.1, 1000).raw_interval(errors=2)
    assert [low, high] == pytest.approx([math.log(2.3), math.log(2.7)])


@pytest.mark.parametrize(("sums", "counts"), [([1.0], [5]), ([], []), ([0.0, 0.0], [0, 0])])
def test_too_little_text_gives_no_estimate(sums: list[float], counts: list[int]) -> None:
    with pytest.raises(ValueError, match="too few"):
        estimate.from_windows(sums, counts)
