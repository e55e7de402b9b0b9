"""The commands `scorer data ...`: data of the operator's own, and data that is too large to ship."""

import argparse
import dataclasses
import sys
import time
from typing import TextIO

from scorer_service import configuration
from scorer_service.language import prepared
from scorer_service.language.paper_data import Sources

FAILURES: tuple[type[Exception], ...] = (prepared.PreparationFailed,)
"""What these commands raise when they cannot do their work, with the way out as message."""

DATA_DIR = "data"
"""Inside the state folder."""

TRAINING_TOKENS_LIMIT = 8_500_000_000
"""The whole text has 9.0 thousand million, and parts of it are held out."""

_LINE_INTERVAL_S = 10.0
"""Between lines where there is no terminal; a log should tell that it goes on, and stay readable."""
_REDRAW_INTERVAL_S = 0.2


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add `data` and its commands."""
    data = commands.add_parser(
        "data", help="data of restricted_mlm and fix_embedding beside what ships"
    ).add_subparsers(required=True, metavar="COMMAND")
    prepare = data.add_parser("prepare", help="fetch a profile's data from the Hugging Face hub, once")
    prepare.add_argument("prepared_profile", metavar="PROFILE", choices=("paper",), help="paper")
    prepare.add_argument(
        "--training-tokens",
        type=_tokens,
        default=prepared.PUBLISHED.training_tokens,
        metavar="N",
        help="length of the public training text, at two bytes a token (default: %(default)s)",
    )
    configuration.add_options(prepare)
    prepare.set_defaults(run=_prepare)


def _tokens(text: str) -> int:
    try:
        number = int(text)
    except ValueError:
        number = 0
    if not 1 <= number <= TRAINING_TOKENS_LIMIT:
        raise argparse.ArgumentTypeError(f"a number from 1 to {TRAINING_TOKENS_LIMIT}, not {text!r}")
    return number


def _prepare(options: argparse.Namespace) -> int:
    settings = configuration.load(vars(options), options.config)
    settings.state_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder = settings.state_dir / DATA_DIR / options.prepared_profile
    folder.parent.mkdir(mode=0o700, exist_ok=True)
    folder.parent.chmod(0o700)
    sizes = dataclasses.replace(prepared.PUBLISHED, training_tokens=options.training_tokens)
    progress = Progress(sys.stderr)
    try:
        done = prepared.prepare(Sources(), folder, progress.show, sizes=sizes)
    finally:
        progress.close()
    print(_in_words(done))
    return 0


def _in_words(done: prepared.Prepared) -> str:
    size = max(len(name) for name in done.files)
    lines = [f"{done.folder} holds the data of profile paper:"]
    lines += [f"  {name:{size}}  {entry.size_bytes:>13,} bytes" for name, entry in done.files.items()]
    lines += [f"  from {name} {revision}".rstrip() for name, revision in sorted(done.sources.items())]
    lines.append("A server that runs already has to be started again to take it up.")
    return "\n".join(lines)


class Progress:
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
