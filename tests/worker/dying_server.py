"""A server that says its worker's pid and then does nothing until it is killed."""

import asyncio
import sys
from pathlib import Path

from scorer_service.worker.client import Worker


async def serve() -> None:
    worker = Worker(Path(sys.argv[1]), "cpu")
    await worker.start()
    print(worker.pid, flush=True)
    await asyncio.Event().wait()


asyncio.run(serve())
