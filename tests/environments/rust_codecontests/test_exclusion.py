"""What is shown comes from runs beside which nothing hidden runs."""

import asyncio
from contextlib import AbstractAsyncContextManager

import pytest

from scorer_service.environments.rust_codecontests.exclusion import Exclusion


class Work:
    """Work of one kind that lasts until the test ends it."""

    def __init__(self, place: AbstractAsyncContextManager[None]) -> None:
        self.running = asyncio.Event()
        self.end = asyncio.Event()
        self.task = asyncio.create_task(self._work(place))

    async def _work(self, place: AbstractAsyncContextManager[None]) -> None:
        async with place:
            self.running.set()
            await self.end.wait()

    async def finish(self) -> None:
        self.end.set()
        await self.task


async def let_others_go_on() -> None:
    for _ in range(20):
        await asyncio.sleep(0)


async def test_work_of_the_common_kind_runs_side_by_side() -> None:
    exclusion = Exclusion()
    both = [Work(exclusion.beside()) for _ in range(2)]
    for work in both:
        await work.running.wait()
    for work in both:
        await work.finish()


async def test_work_alone_waits_for_the_others_and_goes_before_those_that_come_later() -> None:
    exclusion = Exclusion()
    first = Work(exclusion.beside())
    await first.running.wait()
    alone = Work(exclusion.alone())
    later = Work(exclusion.beside())
    await let_others_go_on()
    assert not alone.running.is_set()
    assert not later.running.is_set()
    await first.finish()
    await alone.running.wait()
    await let_others_go_on()
    assert not later.running.is_set()
    await alone.finish()
    await later.running.wait()
    await later.finish()


async def test_two_alone_run_one_after_the_other() -> None:
    exclusion = Exclusion()
    works = [Work(exclusion.alone()) for _ in range(2)]
    await let_others_go_on()
    assert [work.running.is_set() for work in works] == [True, False]
    await works[0].finish()
    await works[1].running.wait()
    await works[1].finish()


@pytest.mark.parametrize("waits", [True, False])
async def test_who_is_cancelled_stands_in_nobodys_way(waits: bool) -> None:
    exclusion = Exclusion()
    first = Work(exclusion.beside())
    await first.running.wait()
    alone = Work(exclusion.alone())
    later = Work(exclusion.beside())
    await let_others_go_on()
    if not waits:
        await first.finish()
        await alone.running.wait()
    alone.task.cancel()
    async with asyncio.timeout(10):
        await later.running.wait()
    await later.finish()
    if waits:
        await first.finish()
