"""When a job that is accepted now would begin and end, by how the last jobs of its environment went."""

import math
from dataclasses import dataclass

from scorer_service.scheduling.service_time import ServiceTime


@dataclass(frozen=True)
class Forecast:
    """Of one environment, as it is at this moment.

    The time of a job counts from its delivery to its end, waits for lanes included, so that a lane which
    other environments keep busy is in it. By Little's law jobs then begin at the rate of places / time.
    """

    service_time: ServiceTime
    places: int
    """Jobs that may be under way at once."""
    under_way: int
    """Jobs that are."""

    @property
    def service_s(self) -> float:
        """What a job takes once it is delivered."""
        return self.service_time.estimate_s

    def wait_s(self, position: int) -> float:
        """How long a job with so many before it waits for its delivery."""
        begin_before = position + 1 - self._free
        return max(0, begin_before) * self.service_s / self.places

    def position_limit(self, time_left_s: float) -> int | None:
        """How many jobs may be before one that has so much time to end; negative where even none is too many.
        None as long as no job has ended: nobody is refused by a guess."""
        measured_s = self.service_time.measured_s
        if measured_s is None:
            return None
        spare_s = time_left_s - measured_s
        if spare_s < 0:
            return -1
        if measured_s == 0:
            return None
        return math.floor(spare_s * self.places / measured_s) + self._free - 1

    @property
    def _free(self) -> int:
        return max(0, self.places - self.under_way)
