"""The commands `scorer data ...`: data of the operator's own, and data that is too large to ship."""

import argparse
import dataclasses
import sys
from collections.abc import Iterator
from pathlib import Path

from scorer_service import configuration, state_dir
from scorer_service.language import own_hidden_text
from scorer_service.language.hidden_import import HiddenText, HiddenTextRefused, import_hidden
from scorer_service.language.paper import prepared
from scorer_service.language.paper.data import Sources
from scorer_service.progress_line import ProgressLine

FAILURES: tuple[type[Exception], ...] = (HiddenTextRefused, prepared.PreparationFailed)
"""What these commands raise when they cannot do their work, with the way out as message."""

TRAINING_TOKENS_LIMIT = 8_500_000_000
"""The whole text has 9.0 thousand million, and parts of it are held out."""

OVERLAP_WARNED_OF = 0.01
"""Share of the characters of a hidden text. The text that ships has none: what it had was taken out."""
FEWEST_CHARACTERS_PER_TOKEN = 3.0
_SHOWN_CHARACTERS = 80


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
    imported = data.add_parser("import", help="judge on a text of your own in profile embedded")
    imported.add_argument(
        "--hidden",
        type=Path,
        required=True,
        metavar="FILE",
        help="text in UTF-8, with a form feed between documents",
    )
    configuration.add_options(imported)
    imported.set_defaults(run=_import)


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
    folder = _data_dir(settings.state_dir) / options.prepared_profile
    sizes = dataclasses.replace(prepared.PUBLISHED, training_tokens=options.training_tokens)
    progress = ProgressLine(sys.stderr)
    try:
        done = prepared.prepare(Sources(), folder, progress.show, sizes=sizes)
    finally:
        progress.close()
    print(_in_words(done))
    return 0


def _import(options: argparse.Namespace) -> int:
    settings = configuration.load(vars(options), options.config)
    text = import_hidden(options.hidden)
    # A server that runs would judge on it at once, and normalise by the anchors of another text.
    with state_dir.locked(settings.state_dir):
        saved = own_hidden_text.save(text, _data_dir(settings.state_dir))
    print(_text_in_words(text, saved.tokens, settings.state_dir))
    for warning in _warnings(text):
        print(f"warning: {warning}", file=sys.stderr)
    return 0


def _text_in_words(text: HiddenText, file: Path, state_folder: Path) -> str:
    overlap = ", ".join(f"{share:.2%} of it in {split}" for split, share in text.overlap.items())
    lines = [
        f"{file} is the hidden text of profile embedded from now on:",
        f"  {len(text.tokens):,} tokens, {text.character_count:,} characters in {text.document_count:,}"
        " documents",
        f"  passages that agents have too: {overlap}",
        "Scores on it have other anchors. Measure them before the server is started again:",
        *(
            f"  scorer calibrate {name} --state-dir {state_folder}"
            for name in ("restricted_mlm", "fix_embedding")
        ),
    ]
    return "\n".join(lines)


def _warnings(text: HiddenText) -> Iterator[str]:
    if max(text.overlap.values()) > OVERLAP_WARNED_OF:
        shown = " ".join(text.longest_overlap.split())[:_SHOWN_CHARACTERS]
        yield (
            "agents have been given some of this text, so that a model can know it by heart; the longest such"
            f" passage begins: {shown}"
        )
    if text.characters_per_token < FEWEST_CHARACTERS_PER_TOKEN:
        yield (
            f"a token stands for {text.characters_per_token:.2f} characters of it, of the text that ships for"
            " 4.3: the tokenizer was not made for such a text, and good losses on it may come under the floor"
            " of what is believed"
        )


def _data_dir(state_folder: Path) -> Path:
    """Made, for the server alone."""
    state_folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder = state_folder / state_dir.DATA_DIR
    folder.mkdir(mode=0o700, exist_ok=True)
    folder.chmod(0o700)
    return folder


def _in_words(done: prepared.Prepared) -> str:
    size = max(len(name) for name in done.files)
    lines = [f"{done.folder} holds the data of profile paper:"]
    lines += [f"  {name:{size}}  {entry.size_bytes:>13,} bytes" for name, entry in done.files.items()]
    lines += [f"  from {name} {revision}".rstrip() for name, revision in sorted(done.sources.items())]
    lines.append("A server that runs already has to be started again to take it up.")
    return "\n".join(lines)
