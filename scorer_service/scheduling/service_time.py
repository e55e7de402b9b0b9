"""How long the last jobs of an environment took."""


class ServiceTime:
    """A moving average that follows the load without keeping a history."""

    # Before the first job has ended something has to be answered; it is a guess, and soon replaced.
    FIRST_GUESS_S = 10.0
    WEIGHT_OF_NEWEST = 0.2

    def __init__(self) -> None:
        self._average_s: float | None = None

    def add(self, elapsed_s: float) -> None:
        """A job took so long."""
        if self._average_s is None:
            self._average_s = elapsed_s
        else:
            self._average_s += self.WEIGHT_OF_NEWEST * (elapsed_s - self._average_s)

    @property
    def estimate_s(self) -> float:
        """What the next one is expected to take."""
        return self.FIRST_GUESS_S if self._average_s is None else self._average_s

    @property
    def measured_s(self) -> float | None:
        """The same; None as long as no job has ended."""
        return self._average_s
