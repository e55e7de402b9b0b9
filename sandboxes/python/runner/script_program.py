"""Runs one submitted script as `__main__`: argv is `script FILE`.

What it prints goes to the channel, standard error with it, for the service to follow while it runs. The
script has as many threads of torch as it has cores.
"""

import atexit
import contextlib
import io
import os
import sys
import threading
import types
from pathlib import Path

import torch

from runner import submission

CHANNEL_DESCRIPTOR = 3


def run(argv: list[str]) -> None:
    """Ends the process, as the interpreter would at the end of a script."""
    _, file = argv
    speak_on_channel()
    _use_cores()
    sys.argv[:] = [file]
    end(execute(Path(file)))


def speak_on_channel() -> None:
    """Have all that is printed go to the channel."""
    for descriptor in (1, 2):
        os.dup2(CHANNEL_DESCRIPTOR, descriptor)
    os.close(CHANNEL_DESCRIPTOR)
    # New ones: those of the interpreter expect descriptors of another kind, and lines are to be seen at once.
    for name, descriptor in (("stdout", 1), ("stderr", 2)):
        stream = _text_stream(descriptor)
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)


def execute(path: Path) -> object:
    """What the script gives to `sys.exit`: None at its end, 1 after an error, which is printed."""
    os.chdir(path.parent)
    # Last: a `torch.py` beside the script shadows nothing.
    sys.path.append(str(path.parent))
    main = types.ModuleType("__main__")
    main.__file__ = str(path)
    sys.modules["__main__"] = main
    try:
        exec(compile(path.read_bytes(), str(path), "exec"), main.__dict__)  # noqa: S102  it is what this is for
    except SystemExit as ending:
        return ending.code
    except BaseException as error:  # whatever a script raises is its end
        print(submission.explanation(error).rstrip("\n"), file=sys.stderr, flush=True)
        return 1
    return None


def end(code: object) -> None:
    """What the interpreter does at its end, but for taking itself apart: libraries complain of that."""
    if code is not None and not isinstance(code, int):
        print(code, file=sys.stderr)
        code = 1
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):  # it may have closed them
            stream.flush()
    os._exit((code or 0) & 0xFF)


def _text_stream(descriptor: int) -> io.TextIOWrapper:
    raw = os.fdopen(descriptor, "wb", closefd=False)
    return io.TextIOWrapper(raw, "utf-8", errors="backslashreplace", line_buffering=True)


def _use_cores() -> None:
    """The process that this one was forked from had one thread."""
    count = str(len(os.sched_getaffinity(0)))
    for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ[name] = count
    torch.set_num_threads(int(count))
