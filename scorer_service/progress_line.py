"""How far a long command is, for a person at a terminal or who reads a log."""

import time
from typing import TextIO

_LINE_INTERVAL_S = 10.0
"""Between lines where there is no terminal; a log should tell that it goes on, and stay readable."""
_REDRAW_INTERVAL_S = 0.2


class ProgressLine:
    """Shows how far a long command is: one line that changes on a terminal, else a line now and then."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._terminal = stream.isatty()
        self._counted = ""
        self._shown_s = 0.0
        self._unfinished = 0

    def show(self, counted: str, done: int, total: int) -> None:
        """So many are done of so many."""
        now_s = time.monotonic()
        interval_s = _REDRAW_INTERVAL_S if self._terminal else _LINE_INTERVAL_S
        if counted == self._counted and done < total and now_s - self._shown_s < interval_s:
            return
        if self._terminal and self._counted and counted != self._counted:
            self._stream.write("\n")
            self._unfinished = 0
        self._counted, self._shown_s = counted, now_s
        percent = 100 * done // max(total, 1)
        line = f"{percent:3d} %  {_short(done)} of {_short(total)} {counted}"
        if self._terminal:
            self._stream.write(f"\r{line:{self._unfinished}}")
            self._unfinished = len(line)
        else:
            self._stream.write(f"{line}\n")
        self._stream.flush()

    def close(self) -> None:
        """Leave the line."""
        if self._terminal and self._unfinished:
            self._stream.write("\n")
            self._stream.flush()


def _short(number: int) -> str:
    """As in 1.25 G."""
    value, unit = float(number), ""
    for unit in ("", "k", "M", "G", "T"):
        if value < 1000 or unit == "T":
            break
        value /= 1000
    return f"{number}" if not unit else f"{value:.2f} {unit}"
