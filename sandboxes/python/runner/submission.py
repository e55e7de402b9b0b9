"""Imports a submitted file, and tells its author what went wrong in it."""

import importlib.util
import sys
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path

RUNNER = str(Path(__file__).parent)
TEXT_LIMIT_BYTES = 12 * 1024
"""Of an explanation. Errors say the most at their end, so the end is what is kept."""


class Refusal(Exception):
    """What was submitted cannot be what was asked for; the message says all there is to say."""


class NoSuchFunction(Refusal):
    """The file defines nothing callable of that name."""


def load(file: str, name: str) -> Callable[..., object]:
    """Import `file` as a module of its own name; its function `name`. Raises whatever the file raises."""
    return load_first(file, (name,))


def load_first(file: str, names: Sequence[str]) -> Callable[..., object]:
    """Import `file`; the first of its functions of these names. Raises whatever the file raises.

    The file's folder comes last on the import path: a `torch.py` beside it shadows nothing.
    """
    path = Path(file)
    sys.path.append(str(path.parent))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path.name} is no Python source")
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    for name in names:
        function: Callable[..., object] | None = getattr(module, name, None)
        if callable(function):
            return function
    raise NoSuchFunction(f"{path.name} defines no function {' or '.join(names)}")


def explanation(error: BaseException) -> str:
    """The traceback as Python prints it, without frames that are not the author's; bounded."""
    try:
        if isinstance(error, Refusal):
            return _end(str(error))
        told = traceback.TracebackException.from_exception(error)
        _leave_out_frames(told, 0)
        text = "".join(told.format())
    except BaseException as second:  # an error may be made so that it cannot be printed
        text = f"{type(error).__name__} (it cannot be printed: {type(second).__name__})"
    return _end(text)


def _end(text: str) -> str:
    encoded = text.encode(errors="replace")
    if len(encoded) <= TEXT_LIMIT_BYTES:
        return text
    return "[...]\n" + encoded[-TEXT_LIMIT_BYTES:].decode(errors="replace")


def _leave_out_frames(told: traceback.TracebackException, depth: int) -> None:
    told.stack[:] = [frame for frame in told.stack if not _is_of_runner(frame.filename)]
    if depth < 16:
        for inner in (told.__cause__, told.__context__, *(told.exceptions or ())):
            if inner is not None:
                _leave_out_frames(inner, depth + 1)


def _is_of_runner(filename: str) -> bool:
    return filename.startswith((RUNNER, "<frozen importlib"))
