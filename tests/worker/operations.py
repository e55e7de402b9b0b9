"""Operations for tests, run in the worker."""

import os
import time
from pathlib import Path
from typing import Any


def refuse(context: Any, arguments: dict[str, Any], descriptors: list[int]) -> None:
    raise ValueError(f"no {arguments['what']} today")


def read_all(context: Any, arguments: dict[str, Any], descriptors: list[int]) -> list[str]:
    return [os.read(descriptor, 100).decode() for descriptor in descriptors]


def wait_for_end(context: Any, arguments: dict[str, Any], descriptors: list[int]) -> str:
    """Report that it began, then wait for the end of the descriptor."""
    context.report(0, 1, "begun")
    return os.read(descriptors[0], 1).decode()


def remember(context: Any, arguments: dict[str, Any], descriptors: list[int]) -> list[str]:
    context.sessions[arguments["key"]] = time.monotonic()
    return sorted(context.sessions)


def enormous(context: Any, arguments: dict[str, Any], descriptors: list[int]) -> str:
    return "x" * (1 << 20)


def not_a_number(context: Any, arguments: dict[str, Any], descriptors: list[int]) -> float:
    return float("nan")


def say(context: Any, arguments: dict[str, Any], descriptors: list[int]) -> None:
    print(arguments["text"])


def end(context: Any, arguments: dict[str, Any], descriptors: list[int]) -> None:
    os._exit(1)


def parent(context: Any, arguments: dict[str, Any], descriptors: list[int]) -> dict[str, Any]:
    import sys

    return {"path": sys.path, "pid": os.getpid(), "environment": sorted(os.environ)}


def open_descriptors(context: Any, arguments: dict[str, Any], descriptors: list[int]) -> int:
    return len(list(Path("/proc/self/fd").iterdir()))
