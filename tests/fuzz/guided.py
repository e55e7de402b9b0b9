"""Keeps the inputs that reached lines which no other reached, and changes those further.

Coverage is of a few modules alone, by a trace function that is on while they read: which line follows which.
"""

import random
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Any, Generic, TypeVar

Input = TypeVar("Input")
Step = tuple[str, int, int]
CORPUS_LIMIT = 150


class Corpus(Generic[Input]):
    """Inputs worth changing."""

    def __init__(self, seeds: Sequence[Input], modules: Sequence[str]) -> None:
        """`modules` are parts of the paths of files whose lines count."""
        self._inputs = list(seeds)
        self._seed_count = len(self._inputs)
        self._modules = tuple(modules)
        self._known: set[Step] = set()

    @property
    def kept(self) -> list[Input]:
        """The seeds, and what reached something new since."""
        return list(self._inputs)

    def choose(self, chance: random.Random) -> Input:
        """One of them: an honest one, one found last, or any, each as likely as the others."""
        among = chance.choice((self._inputs[: self._seed_count], self._inputs[-20:], self._inputs))
        return chance.choice(among)

    @contextmanager
    def watching(self, value: Input) -> Iterator[None]:
        """Watch what reads the input, and keep it where it reached something new."""
        steps: set[Step] = set()
        before = sys.gettrace()
        sys.settrace(_tracer(steps, self._modules))
        try:
            yield
        finally:
            sys.settrace(before)
            if steps - self._known:
                self._known |= steps
                self._inputs.append(value)
                if len(self._inputs) > CORPUS_LIMIT:
                    del self._inputs[self._seed_count]


def _tracer(steps: set[Step], modules: tuple[str, ...]) -> Callable[..., Any]:
    def enter(frame: FrameType, event: str, _: Any) -> Any:
        path = frame.f_code.co_filename
        if not any(module in path for module in modules):
            return None
        last = 0

        def line(inner: FrameType, event: str, _: Any) -> Any:
            nonlocal last
            steps.add((path, last, inner.f_lineno))
            last = inner.f_lineno
            return line

        return line

    return enter
