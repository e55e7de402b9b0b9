"""Fixtures of the client's tests: the scripted server, and a way to call it in either colour."""

import asyncio
import inspect
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

# So that tests import the double by its name, under import mode importlib too.
sys.path.insert(0, str(Path(__file__).parents[2]))

from scorer_client import AsyncScorerClient, RetryPolicy, ScorerClient

from tests.client.scripted_server import ScriptedServer

QUICK = RetryPolicy(
    connect_limit_s=2,
    reconnect_limit_s=20,
    not_serving_limit_s=20,
    overload_limit_s=20,
    initial_backoff_s=0.01,
    max_backoff_s=0.05,
)


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    """A fresh double, in reach."""
    double = ScriptedServer()
    yield double
    double.close()


class Colour:
    """Calls one method of a client; what it iterates comes back as a list."""

    def __init__(self, name: str) -> None:
        self.name = name

    def call(self, server: ScriptedServer | str, method: str, *args: Any, **kwargs: Any) -> Any:
        target = server if isinstance(server, str) else server.target
        options = {"retry_policy": QUICK, **kwargs.pop("client", {})}
        if self.name == "async":
            return asyncio.run(self._call_async(target, options, method, args, kwargs))
        with ScorerClient(target, **options) as client:
            outcome = getattr(client, method)(*args, **kwargs)
            return list(outcome) if inspect.isgenerator(outcome) else outcome

    @staticmethod
    async def _call_async(target: str, options: Any, method: str, args: Any, kwargs: Any) -> Any:
        async with AsyncScorerClient(target, **options) as client:
            outcome = getattr(client, method)(*args, **kwargs)
            if inspect.isasyncgen(outcome):
                return [item async for item in outcome]
            return await outcome


@pytest.fixture(params=["sync", "async"])
def colour(request: pytest.FixtureRequest) -> Colour:
    """Both clients, one after the other."""
    return Colour(request.param)
