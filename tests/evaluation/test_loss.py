"""What a loss comes to for models of which it is known, and which logits are refused."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(scope="module")
def facts(torch_python: Path, repository: Path) -> Any:
    script = Path(__file__).parent / "loss_facts.py"
    answer = subprocess.run(
        [torch_python, "-I", script, repository], check=True, capture_output=True, text=True, timeout=300
    )
    return json.loads(answer.stdout)


def test_a_uniform_model_has_the_logarithm_of_the_vocabulary(facts: Any) -> None:
    for found in (facts["uniform"], facts["masked_uniform"]):
        assert found["mean_nats"] == pytest.approx(facts["uniform_nats"], rel=1e-12)
        assert found["standard_error_nats"] == pytest.approx(0, abs=1e-9)


def test_the_loss_is_the_cross_entropy_of_each_token_given_those_before_it(facts: Any) -> None:
    assert facts["noisy"]["mean_nats"] == pytest.approx(facts["plain_mean"], rel=1e-12)
    assert facts["noisy"]["token_count"] == facts["window_count"] * 19


def test_neither_the_batch_size_nor_a_constant_changes_it(facts: Any) -> None:
    assert facts["other_batch_size"]["mean_nats"] == pytest.approx(facts["noisy"]["mean_nats"], rel=1e-12)
    assert facts["constant_added"]["mean_nats"] == pytest.approx(facts["noisy"]["mean_nats"], rel=1e-4)


def test_half_precision_costs_little_and_large_logits_much(facts: Any) -> None:
    assert facts["half"]["mean_nats"] == pytest.approx(facts["noisy"]["mean_nats"], rel=1e-3)
    assert 1e29 < facts["large_logits"]["mean_nats"] < 1e32


def test_it_tells_how_many_windows_are_scored(facts: Any) -> None:
    assert facts["reports"] == [[64, 200], [128, 200], [192, 200], [200, 200]]


def test_masks_are_fresh_disjoint_and_cover_their_share(facts: Any) -> None:
    masks = facts["masks"]
    assert masks["disjoint"]
    assert masks["sizes"] == [19, 20]
    assert masks["share"] == pytest.approx(0.15, abs=0.001)
    assert not masks["same_again"]
    assert not masks["same_for_two_windows"]


def test_no_place_of_a_window_is_masked_more_often(facts: Any) -> None:
    # 3,000 draws a place: four standard deviations are 0.026.
    assert facts["masks"]["least_share_at_a_place"] > 0.15 - 0.03
    assert facts["masks"]["most_share_at_a_place"] < 0.15 + 0.03


def test_a_masked_model_sees_everything_but_the_masked_tokens(facts: Any) -> None:
    assert all(facts["masked_inputs"].values()), facts["masked_inputs"]


@pytest.mark.parametrize("case", ["nan", "infinite", "minus_infinite", "masked_infinite", "beyond_float32"])
def test_logits_that_are_not_finite_are_refused(facts: Any, case: str) -> None:
    assert facts["refused"][case].startswith("LogitsNotFinite")


@pytest.mark.parametrize(
    ("case", "reason"),
    [
        ("probabilities_per_window", "shape [7, 11], not [7, 19, 11]"),
        ("too_few_tokens", "shape [7, 19, 10], not [7, 19, 11]"),
        ("integers", "no tensor of floating-point"),
        ("complex", "no tensor of floating-point"),
        ("a_number", "no tensor of floating-point"),
    ],
)
def test_what_is_no_logits_is_refused(facts: Any, case: str, reason: str) -> None:
    assert facts["refused"][case].startswith("LogitsRefused")
    assert reason in facts["refused"][case]


def test_memory_stays_within_a_batch_of_logits(facts: Any) -> None:
    assert facts["memory"]["growth"] < facts["memory"]["batch"]
