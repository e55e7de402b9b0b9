"""Text for a terminal: colours where they are wanted, and nothing that a stranger's text could do to it."""

import os
import re
import sys
from collections.abc import Mapping, Sequence
from typing import TextIO

# Everything that moves the cursor, changes colours, or rings: C0 but tab and newline, DEL, C1, and the marks
# that turn the direction of text round. A program that is judged may print them, and its output is shown.
_UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_COLOURS = {"red": "31", "green": "32", "yellow": "33", "bold": "1"}


def printable(text: str | bytes) -> str:
    """The text with what would control a terminal written as escapes."""
    if isinstance(text, bytes):
        text = text.decode(errors="backslashreplace")
    return _UNSAFE.sub(lambda found: found[0].encode("unicode_escape").decode(), text.replace("\r\n", "\n"))


def wants_colour(stream: TextIO, environ: Mapping[str, str] = os.environ) -> bool:
    """Whether to colour: a terminal, and no NO_COLOR (no-color.org) or TERM=dumb."""
    return stream.isatty() and not environ.get("NO_COLOR") and environ.get("TERM") != "dumb"


def coloured(text: str, colour: str, *, wanted: bool) -> str:
    """The text in red, green, yellow or bold, where that is wanted."""
    return f"\x1b[{_COLOURS[colour]}m{text}\x1b[0m" if wanted else text


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Columns as wide as their widest cell; made printable."""
    cells = [[" ".join(printable(cell).split()) for cell in row] for row in (header, *rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(header))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in cells
    )


def indented(text: str | bytes) -> str:
    """The text made printable, each line moved to the right."""
    lines = printable(text).rstrip("\n").split("\n")
    return "\n".join(f"    {line}".rstrip() for line in lines)


def say(message: str) -> None:
    """Tells the person something that is not the command's output."""
    print(f"scorer-client: {printable(message)}", file=sys.stderr, flush=True)
