"""Where a language is installed on this machine, asked of its own command."""

import os
import pwd
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

_COMMAND_LIMIT_S = 30.0


class RootNotFound(Exception):
    """The language is not installed. The message says what was tried and how to install it."""


@dataclass(frozen=True)
class RootSearch:
    """How to find the folder in which a language is installed; table [root] of a toolchain file."""

    command: Sequence[str]
    """Prints the folder."""
    contains: Sequence[str]
    """Relative paths that must exist in it."""
    install: str
    """What to do where it is not found."""
    search: Sequence[str] = ()
    """Folders that are searched for the command after PATH."""
    retry_environments: Sequence[Mapping[str, str]] = field(default_factory=tuple)
    """Added to the environment, in turn, where the command fails. `{command_dir}` is its folder."""


def find(search: RootSearch) -> Path:
    """The folder. Raises RootNotFound."""
    complaints = []
    for command in _commands(search):
        for extra in ({}, *search.retry_environments):
            added = {key: value.replace("{command_dir}", str(command.parent)) for key, value in extra.items()}
            if any(not Path(value).exists() for value in added.values()):
                continue
            try:
                return _ask(command, search, added)
            except RootNotFound as error:
                complaints.append(str(error))
    if not complaints:
        complaints.append(f"{search.command[0]} is not in PATH ({os.environ.get('PATH', '')})")
    raise RootNotFound(f"{'; '.join(dict.fromkeys(complaints))}. {search.install}")


def _commands(search: RootSearch) -> Iterator[Path]:
    name = search.command[0]
    homes = [os.environ.get("HOME", ""), pwd.getpwuid(os.getuid()).pw_dir]
    folders = [folder.replace("~", home) for folder in search.search for home in homes if home]
    path = os.pathsep.join([os.environ.get("PATH", os.defpath), *folders])
    seen = set()
    for folder in path.split(os.pathsep):
        found = shutil.which(name, path=folder) if folder else None
        if found and found not in seen:
            seen.add(found)
            # Not resolved: rustup's shims tell by the name under which they are called what to do.
            yield Path(found).absolute()


def _ask(command: Path, search: RootSearch, added: Mapping[str, str]) -> Path:
    # A shim that misses its toolchain must not begin to download one.
    environment = {**os.environ, "RUSTUP_AUTO_INSTALL": "0", **added}
    try:
        answer = subprocess.run(
            [str(command), *search.command[1:]],
            cwd="/",  # a toolchain override of the current folder is not meant for the server
            env=environment,
            capture_output=True,
            text=True,
            timeout=_COMMAND_LIMIT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise RootNotFound(f"{command} cannot be run: {error}") from error
    if answer.returncode != 0:
        reason = next((line for line in answer.stderr.splitlines() if line.strip()), "no message")
        raise RootNotFound(f"{command} failed: {reason.strip()}")
    root = Path(answer.stdout.strip())
    missing = [name for name in search.contains if not (root / name).exists()]
    if missing:
        raise RootNotFound(f"{command} answered {root}, which has no {' and no '.join(missing)}")
    return root.resolve()
