"""The inputs of an embedded problem, from its generator. Runs in a process of its own: generators compute."""

import importlib.util
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

INPUT_LIMIT_BYTES = 3 << 20
"""Of one input."""
HIDDEN_MINIMUM = 20
"""Fewer tests let too many wrong programs through."""


@dataclass(frozen=True)
class Inputs:
    """The inputs of a problem, validated."""

    public: Sequence[str]
    hidden: Sequence[str]


def load_generator(folder: Path) -> ModuleType:
    """The module `generate.py` of a problem: public(), hidden(rng), small(rng) and validate(text)."""
    spec = importlib.util.spec_from_file_location(f"generate_{folder.name}", folder / "generate.py")
    if spec is None or spec.loader is None:
        raise ValueError(f"{folder} has no generate.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def inputs(folder: Path) -> Inputs:
    """Generate the inputs of a problem; the same on every machine. Raises ValueError for a wrong one."""
    generator = load_generator(folder)
    public = list(generator.public())
    hidden = list(generator.hidden(random.Random(f"{folder.name}/hidden")))
    if not public:
        raise ValueError("public() gives no input")
    if len(hidden) < HIDDEN_MINIMUM:
        raise ValueError(f"hidden() gives {len(hidden)} inputs, at least {HIDDEN_MINIMUM} are needed")
    for number, text in enumerate([*public, *hidden], 1):
        if len(text.encode()) > INPUT_LIMIT_BYTES:
            raise ValueError(f"input {number} has {len(text)} bytes, the limit is {INPUT_LIMIT_BYTES}")
        try:
            generator.validate(text)
        except ValueError as error:
            raise ValueError(f"input {number} breaks a constraint of the statement: {error}") from error
    return Inputs(public, hidden)
