"""Prepares a tiny hub in a process of its own, which may be made to die of SIGKILL on its way.

As a program: model, companion, text, folder, what is counted, after how many reports of it to die (0: never).
Prints a line for each report.
"""

import os
import signal
import sys
from pathlib import Path

import tiny_hub
from huggingface_hub import constants

from scorer_service.hub import download as hub_download
from scorer_service.language.paper import prepared
from scorer_service.language.paper.data import Sources


def main() -> None:
    model, companion, text, folder, counted, after = sys.argv[1:]
    left = int(after)
    if counted:
        # Of 37 kB that a test has, some shall be there when it dies.
        hub_download.FROM_BYTES, constants.DOWNLOAD_CHUNK_SIZE = 1 << 14, 1 << 12

    def report(what: str, done: int, total: int) -> None:
        nonlocal left
        print(f"{done} {total} {what}", flush=True)
        if counted in what:
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    try:
        prepared.prepare(Sources(model, companion, text), Path(folder), report, sizes=tiny_hub.SIZES)
    except prepared.PreparationFailed as error:
        sys.exit(f"failed: {error}")


if __name__ == "__main__":
    main()
