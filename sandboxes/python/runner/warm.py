"""The process that submissions are forked from: imports what they need, then serves the launcher.

It stays single-threaded, or a fork could inherit a lock that no thread will ever open. It never touches a
GPU: a CUDA context does not outlive a fork. Nothing of a submission is on its import path.
"""

import fcntl
import gc
import importlib
import os
import sys
from pathlib import Path

RUNNER_PARENT = str(Path(__file__).parent.parent)
SITES = Path("/python/site")
"""The site-packages of the interpreter, each in a folder with a number. It was started without `site`."""
LAUNCHER = "/launcher"

PROGRAMS = {
    "function": "runner.function_program",
    "script": "runner.script_program",
    "export": "runner.export_program",
}
"""What a program can be, by the first word of its argv -> the module whose `run(argv)` it is."""


def leave_files_unlocked() -> None:
    """Let locks of files succeed without a lock.

    The sandbox refuses them, since they would carry bits from one run to another, and torch's compile caches
    ask for them. Each run has a scratch of its own: there is nobody to keep out.
    """
    fcntl.flock = lambda descriptor, operation: None
    fcntl.lockf = lambda descriptor, operation, length=0, start=0, whence=0: None


def warm_up() -> None:
    """Import, and do once what loads or makes something at its first use."""
    leave_files_unlocked()
    import numpy  # noqa: F401  torch's tensors are made from it
    import torch

    torch.set_num_threads(1)
    import triton
    import triton.language  # noqa: F401  named as users name it

    values = torch.arange(-8, 8, dtype=torch.int32)
    torch.where(values > 0, values, 0).cumsum(0).to(torch.int32).sum().item()
    values.to(torch.float32).view(4, 4).mm(torch.ones(4, 4))


def main() -> None:
    """Import, serve, and in each program that is forked: run it."""
    if SITES.is_dir():
        sys.path.extend(str(site) for site in sorted(SITES.iterdir(), key=lambda site: int(site.name)))
    sys.path.extend([RUNNER_PARENT, LAUNCHER])
    warm_up()
    programs = {name: importlib.import_module(module) for name, module in PROGRAMS.items()}
    import scorer_launcher

    # What a submission imports later is its own affair.
    sys.path.remove(RUNNER_PARENT)
    sys.path.remove(LAUNCHER)
    tasks = Path("/proc/self/task")
    if tasks.is_dir() and len(list(tasks.iterdir())) > 1:
        sys.exit("the warm process has several threads: set OMP_NUM_THREADS and the like to 1")
    # Pages that the collector does not visit stay shared between all programs.
    gc.collect()
    gc.freeze()
    argv = scorer_launcher.serve_warm()
    programs[argv[0]].run(argv)
    sys.stdout.flush()
    os._exit(0)  # nothing is to be tidied up in a process that ends


if __name__ == "__main__":
    main()
