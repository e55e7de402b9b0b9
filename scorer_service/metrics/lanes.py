"""Use of the lanes: waits for a place, time that places are taken, time a lane idles though work waits."""

import contextlib
import time
from collections.abc import AsyncIterator, Callable, Collection

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from scorer_service.metrics.buckets import DURATION_BUCKETS_S
from scorer_service.scheduling.lane import Lane


class LaneMetrics:
    """Follows jobs on their way to each lane. Belongs to the event loop.

    Counters move when something happens, and by `advance`: a place that is taken for half an hour shows while
    it is taken.
    """

    def __init__(self, registry: CollectorRegistry, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._wait = Histogram(
            "scorer_lane_wait_seconds",
            "Time that a stage of a job waited for a place of its lane, such as `device`.",
            ["lane"],
            buckets=DURATION_BUCKETS_S,
            registry=registry,
        )
        self._places = Gauge("scorer_lane_places", "Places of a lane.", ["lane"], registry=registry)
        self._busy = Gauge(
            "scorer_lane_busy", "Places of a lane that are taken.", ["lane"], registry=registry
        )
        self._waiting = Gauge(
            "scorer_lane_waiting", "Stages that wait for a place.", ["lane"], registry=registry
        )
        self._busy_seconds = Counter(
            "scorer_lane_busy_seconds",
            "Time that places of a lane were taken, summed over its places.",
            ["lane"],
            registry=registry,
        )
        self._idle_seconds = Counter(
            "scorer_lane_idle_while_work_waited_seconds",
            "Time in which no place of a lane was taken though a job that needs one was in the queue or in "
            "an earlier stage.",
            ["lane"],
            registry=registry,
        )
        self._lanes: list[Lane] = []
        self._uses: dict[str, _LaneUse] = {}
        self._ways: dict[str, Collection[str]] = {}
        """The lanes of each environment."""

    def make_lane(self, name: str, places: int) -> Lane:
        """A lane that is followed."""
        self._places.labels(name).set(places)
        lane = _MeteredLane(name, places, self._use(name), self._wait.labels(name), self._clock)
        self._lanes.append(lane)
        return lane

    def add_environment(self, environment: str, lanes: Collection[str]) -> None:
        """Say which lanes its jobs pass."""
        self._ways[environment] = lanes

    def queued(self, environment: str, change: int) -> None:
        """So many more jobs of the environment wait in the queue."""
        for use in self._on_the_way(environment):
            use.set_queued(environment, use.queued.get(environment, 0) + change)

    def set_queued(self, environment: str, depth: int) -> None:
        """So many jobs of the environment wait in the queue."""
        for use in self._on_the_way(environment):
            use.set_queued(environment, depth)

    def taken(self, job_id: str, environment: str) -> None:
        """A job left the queue, and is on its way to its lanes."""
        for use in self._on_the_way(environment):
            use.set_queued(environment, use.queued.get(environment, 0) - 1)
            use.coming.add(job_id)

    def reached(self, job_id: str, lane: str) -> None:
        """A job is worked on in a lane now."""
        use = self._use(lane)
        use.advance()
        use.coming.discard(job_id)

    def ended(self, job_id: str) -> None:
        """A job left the lanes."""
        for use in self._uses.values():
            use.advance()
            use.coming.discard(job_id)

    def advance(self) -> None:
        """Bring everything up to now."""
        for use in self._uses.values():
            use.advance()
        for lane in self._lanes:
            self._busy.labels(lane.name).set(lane.busy)
            self._waiting.labels(lane.name).set(lane.waiting)

    def _on_the_way(self, environment: str) -> "list[_LaneUse]":
        uses = [self._use(name) for name in self._ways.get(environment, ())]
        for use in uses:
            use.advance()
        return uses

    def _use(self, name: str) -> "_LaneUse":
        if name not in self._uses:
            self._uses[name] = _LaneUse(
                self._clock, self._busy_seconds.labels(name), self._idle_seconds.labels(name)
            )
        return self._uses[name]


class _LaneUse:
    """What is known of one lane since the last change."""

    def __init__(self, clock: Callable[[], float], busy_seconds: Counter, idle_seconds: Counter) -> None:
        self._clock = clock
        self._busy_seconds = busy_seconds
        self._idle_seconds = idle_seconds
        self._busy = 0
        self._since = clock()
        self.coming: set[str] = set()
        """Jobs that were taken from the queue and have not been worked on in this lane."""
        self.queued: dict[str, int] = {}
        """Jobs in the queue, by environment."""

    def set_queued(self, environment: str, depth: int) -> None:
        self.queued[environment] = max(0, depth)

    def advance(self) -> None:
        now = self._clock()
        elapsed_s, self._since = now - self._since, now
        if self._busy:
            self._busy_seconds.inc(elapsed_s * self._busy)
        elif self.coming or any(self.queued.values()):
            self._idle_seconds.inc(elapsed_s)

    def add_busy(self, change: int) -> None:
        self.advance()
        self._busy += change


class _MeteredLane(Lane):
    def __init__(
        self, name: str, places: int, use: _LaneUse, wait: Histogram, clock: Callable[[], float]
    ) -> None:
        super().__init__(name, places)
        self._use = use
        self._wait = wait
        self._clock = clock

    @contextlib.asynccontextmanager
    async def place(self) -> AsyncIterator[None]:
        began = self._clock()
        async with super().place():
            self._wait.observe(self._clock() - began)
            self._use.add_busy(1)
            try:
                yield
            finally:
                self._use.add_busy(-1)
