"""What is told of a loss: the digits that mean something, and no more."""

import math
from typing import Any

import pytest

from scorer_service.environments import judged_loss
from scorer_service.environments.interface import Verdict

FLOOR_NATS = 3.0


def answer(mean_nats: float, standard_error_nats: float = 0.0082) -> dict[str, Any]:
    return {
        "mean_nats": mean_nats,
        "standard_error_nats": standard_error_nats,
        "token_count": 283_083,
        "judging_s": 1.0,
        "device_states": [],
    }


def test_digits_beyond_the_standard_error_are_told_nowhere() -> None:
    one = judged_loss.read(answer(4.212345678, 0.00821234), FLOOR_NATS)
    other = judged_loss.read(answer(4.212311111, 0.00821456), FLOOR_NATS)
    assert one == other
    assert one.raw_score == math.log(4.2123 - 1.5)
    message = one.message()
    assert message is not None
    assert (message.mean_nats, message.standard_error_nats) == (4.2123, 0.00821)


def test_a_loss_that_spells_out_how_often_tokens_occur_is_cut_off() -> None:
    """Logits of -2^11, -2^27 and -2^43 for three tokens: the sum of all losses has the three counts."""
    counts = (148, 13, 70)
    total = sum(count << shift for count, shift in zip(counts, (11, 27, 43), strict=True))
    told = judged_loss.read(answer(total / 283_083), FLOOR_NATS).found.mean_nats
    read = round(told * 283_083)
    assert (read >> 27) & 0xFFFF != counts[1]
    assert (read >> 11) & 0xFFFF != counts[0]


@pytest.mark.parametrize(("mean_nats", "verdict"), [(3.0001, Verdict.SCORED), (2.9999, Verdict.IMPLAUSIBLE)])
def test_the_floor_is_where_it_was(mean_nats: float, verdict: Verdict) -> None:
    assert judged_loss.read(answer(mean_nats), FLOOR_NATS).verdict is verdict
