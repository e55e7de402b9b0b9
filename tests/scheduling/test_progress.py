"""Who is woken by what: a queue that moves hundreds of times a second must not wake thousands each time."""

import asyncio

import pytest

from scorer_service.scheduling.progress import WATCHERS_LIMIT, Progress, ProgressBoard, TooManyWatchers


async def test_moves_that_follow_each_other_are_told_once_but_the_last_is_told() -> None:
    board = ProgressBoard()
    event = board.watch("job")
    board.wake_queue()
    assert event.is_set()  # the first at once
    event.clear()
    for _ in range(100):
        board.wake_queue()
    assert not event.is_set()
    async with asyncio.timeout(10):
        await event.wait()


async def test_who_waits_for_a_result_is_not_woken_by_the_queue_or_progress() -> None:
    board = ProgressBoard()
    event, follower = board.watch("job", follow=False), board.watch("job")
    board.wake_queue()
    assert not event.is_set()
    follower.clear()
    board.set("job", Progress("judge", 1, 2, "problems"))
    assert follower.is_set()
    assert not event.is_set()
    board.wake("job")
    assert event.is_set()
    event.clear()
    board.wake_all()
    assert event.is_set()


async def test_who_has_gone_makes_room_for_others() -> None:
    board = ProgressBoard()
    events = [board.watch("job") for _ in range(WATCHERS_LIMIT)]
    with pytest.raises(TooManyWatchers, match="job"):
        board.watch("job")
    board.watch("other")
    board.unwatch("job", events[0])
    board.watch("job")
