"""Clients in threads: each scores one submission after the other, and some hang up or cancel meanwhile."""

import random
import threading
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from scorer_client import DeadlinePassed, JobCancelled, NotFound, RetryPolicy, ScorerClient, ScorerError

from tests.soak.catalog import Entry

PATIENCE = RetryPolicy(connect_limit_s=300.0, reconnect_limit_s=300.0, not_serving_limit_s=300.0)
"""A server that starts takes half a minute on a busy machine, and is killed meanwhile."""
ANSWER_LIMIT_S = 900.0
"""A call that has no answer by then is lost."""

WEIGHTS = {"rust_codecontests": 4, "triton_cumsum": 3, "restricted_mlm": 2, "fix_embedding": 2}
CONTROL_SHARE, WRONG_SHARE = 0.45, 0.1
HANGS_UP_SHARE, CLOSES_SHARE, CANCELS_SHARE = 0.1, 0.05, 0.06


@dataclass(frozen=True)
class Answer:
    """What a client was told."""

    job_id: str
    verdict: str
    raw: float | None
    normalized: float | None
    summary: str
    problems: tuple[str, ...]
    text: str
    """All of it, to be searched for what must not be in it."""


@dataclass
class Call:
    """One submission of one client, over all of its tries. Times are seconds since the epoch."""

    entry: Entry
    behaviour: str
    """waits, hangs up, closes or cancels."""
    pause_s: float
    """Until it does so."""
    request_id: str
    began_at: float = 0.0
    ended_at: float | None = None
    answer: Answer | None = None
    error: str = ""
    """Reason or class of the error that ended it."""
    reattached: bool = False
    """Whether it was called again by its request id."""


class Plan:
    """Draws calls, the same ones in the same order for a seed. Safe to use by several threads."""

    def __init__(self, entries: Sequence[Entry], seed: int) -> None:
        self._random = random.Random(f"{seed} calls")
        self._lock = threading.Lock()
        self._names = sorted({entry.environment for entry in entries})
        self._entries: dict[tuple[str, str], list[Entry]] = {}
        for entry in entries:
            self._entries.setdefault((entry.environment, entry.kind), []).append(entry)

    def next(self) -> Call:
        """The next one."""
        with self._lock:
            drawn = self._random
            environment = drawn.choices(self._names, [WEIGHTS[name] for name in self._names])[0]
            share = drawn.random()
            kind = "control" if share < CONTROL_SHARE else "attack"
            if CONTROL_SHARE <= share < CONTROL_SHARE + WRONG_SHARE:
                kind = "wrong"
            behaviour = drawn.choices(
                ("waits", "hangs up", "closes", "cancels"),
                (
                    1 - HANGS_UP_SHARE - CLOSES_SHARE - CANCELS_SHARE,
                    HANGS_UP_SHARE,
                    CLOSES_SHARE,
                    CANCELS_SHARE,
                ),
            )[0]
            return Call(
                entry=drawn.choice(self._entries[environment, kind]),
                behaviour=behaviour,
                pause_s=drawn.uniform(0.1, 6.0),
                request_id=self._request_id(),
            )

    def waiting(self, entry: Entry) -> Call:
        """A call of one that is known, by a client that waits."""
        with self._lock:
            return Call(entry, "waits", 0.0, self._request_id())

    def _request_id(self) -> str:
        return str(uuid.UUID(int=self._random.getrandbits(128), version=4))


@dataclass
class Load:
    """All clients, and what came of their calls."""

    address: str
    plan: Plan
    attempts: Mapping[str, str]
    """Id of the attempt that takes the scores, by environment."""
    client_count: int
    calls: list[Call] = field(default_factory=list)
    _over: threading.Event = field(default_factory=threading.Event)

    def run(self, duration_s: float, meanwhile: Callable[[threading.Event], None]) -> None:
        """Send for so long, then wait for what is under way. `meanwhile` is told when sending ends."""
        with ThreadPoolExecutor(self.client_count + 1, thread_name_prefix="client") as threads:
            working = [threads.submit(self._work) for _ in range(self.client_count)]
            beside = threads.submit(meanwhile, self._over)
            self._over.wait(duration_s)
            self._over.set()
            beside.result()
            for thread in working:
                thread.result()

    def _work(self) -> None:
        with ScorerClient(self.address, retry_policy=PATIENCE) as client:
            while not self._over.is_set():
                call = self.plan.next()
                self.calls.append(call)
                self.perform(client, call)

    def perform(self, client: ScorerClient, call: Call) -> None:
        """Score it, as it behaves."""
        call.began_at = time.time()
        try:
            call.answer = _answer(self._score(client, call))
        except JobCancelled:
            call.error = "JOB_CANCELLED"
        except ScorerError as error:
            call.error = f"{error.reason or type(error).__name__}: {error.message}"
        finally:
            call.ended_at = time.time()

    def _score(self, client: ScorerClient, call: Call) -> Any:
        options: dict[str, Any] = {
            "request_id": call.request_id,
            "attempt_id": self.attempts[call.entry.environment],
        }
        patient = {**options, "timeout": ANSWER_LIMIT_S}
        match call.behaviour:
            case "hangs up":
                try:
                    return call.entry.send(client, {**options, "timeout": call.pause_s})
                except DeadlinePassed:
                    call.reattached = True
            case "closes":
                try:
                    return self._send_until_closed(call, patient)
                except (ScorerError, ValueError):  # the second is gRPC's word for a channel that was closed
                    call.reattached = True
            case "cancels":
                canceller = threading.Timer(call.pause_s, self._cancel, [call.request_id])
                canceller.start()
                try:
                    return call.entry.send(client, patient)
                finally:
                    canceller.cancel()
                    canceller.join()
        return call.entry.send(client, patient)

    def _send_until_closed(self, call: Call, options: Mapping[str, Any]) -> Any:
        with ScorerClient(self.address, retry_policy=PATIENCE) as client:
            closer = threading.Timer(call.pause_s, client.close)
            closer.start()
            try:
                return call.entry.send(client, options)
            finally:
                closer.cancel()
                closer.join()

    def _cancel(self, request_id: str) -> None:
        with ScorerClient(self.address, retry_policy=PATIENCE) as client:
            try:
                client.cancel(request_id)
            except NotFound:  # it was not accepted yet
                return


def _answer(result: Any) -> Answer:
    problems = getattr(result, "problems", ())
    return Answer(
        job_id=result.job_id,
        verdict=result.verdict.value,
        raw=result.score.raw if result.score is not None else None,
        normalized=result.score.normalized if result.score is not None else None,
        summary=result.summary,
        problems=tuple(problem.verdict.value for problem in problems),
        text=repr(result),
    )
