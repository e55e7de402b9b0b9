"""What a job that is accepted now is told of its wait, and whose deadline is too short."""

import pytest

from scorer_service.scheduling.forecast import Forecast
from scorer_service.scheduling.service_time import ServiceTime


def forecast(*, measured_s: float | None = 10.0, places: int = 2, under_way: int = 2) -> Forecast:
    service_time = ServiceTime()
    if measured_s is not None:
        service_time.add(measured_s)
    return Forecast(service_time, places=places, under_way=under_way)


@pytest.mark.parametrize(
    ("under_way", "position", "wait_s"),
    [(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 5), (2, 0, 5), (2, 3, 20)],
)
def test_the_wait_is_for_those_who_have_no_place_yet(under_way: int, position: int, wait_s: float) -> None:
    assert forecast(under_way=under_way).wait_s(position) == wait_s


@pytest.mark.parametrize("under_way", [0, 1, 2])
@pytest.mark.parametrize("time_left_s", [10.0, 14.9, 15.0, 42.0, 1000.0])
def test_the_limit_is_the_last_position_that_ends_in_time(under_way: int, time_left_s: float) -> None:
    found = forecast(under_way=under_way)
    limit = found.position_limit(time_left_s)
    assert limit is not None
    assert found.wait_s(limit + 1) + found.service_s > time_left_s
    if limit >= 0:
        assert found.wait_s(limit) + found.service_s <= time_left_s


def test_where_judging_alone_takes_longer_no_position_will_do() -> None:
    assert forecast(under_way=0).position_limit(9.9) == -1


def test_nobody_is_refused_by_a_guess() -> None:
    assert forecast(measured_s=None).position_limit(0.001) is None
    assert forecast(measured_s=0.0).position_limit(0.001) is None
