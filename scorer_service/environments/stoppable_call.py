"""A long call of the worker that ends there too when it is cancelled here."""

import asyncio
import contextlib
import uuid
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from scorer_service.environments.interface import JudgingFailed, WorkerDied
from scorer_service.worker.client import Worker
from scorer_service.worker.errors import OperationFailed, WorkerLost, WorkerUnavailable

_STOP = "scorer_service.evaluation.stopping:stop"
Report = Callable[[int, int, str], None]


def unheard(done: int, total: int, unit: str) -> None:
    """For who follows no progress."""


async def call(
    worker: Worker,
    operation: str,
    arguments: Mapping[str, Any],
    descriptors: Sequence[int],
    report: Report,
) -> Mapping[str, Any]:
    """The answer of an operation that is `evaluation.stopping.stoppable`.

    Raises WorkerDied, and JudgingFailed where the operation fails.
    """
    name = operation.rpartition(":")[2]
    session = {"session": uuid.uuid4().hex}
    calling = asyncio.ensure_future(
        worker.call(operation, {**session, **arguments}, descriptors=descriptors, progress=report)
    )
    try:
        answer = await asyncio.shield(calling)
    except asyncio.CancelledError:
        # It would go on computing on a place that belongs to somebody else.
        await asyncio.shield(_stop(worker, session, calling))
        raise
    except WorkerLost as error:
        raise WorkerDied(f"the worker died in {name}") from error
    except (OperationFailed, WorkerUnavailable) as error:
        raise JudgingFailed(f"{name}: {error}") from error
    if not isinstance(answer, Mapping):
        raise JudgingFailed(f"{name} answered {answer!r}")
    return answer


async def _stop(worker: Worker, session: Mapping[str, str], calling: asyncio.Future[Any]) -> None:
    with contextlib.suppress(OperationFailed, WorkerLost, WorkerUnavailable):
        await worker.call(_STOP, session)
        await asyncio.wait([calling])
        await worker.call(_STOP, {**session, "over": True})
    if calling.done() and not calling.cancelled():
        calling.exception()  # seen
