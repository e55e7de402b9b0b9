"""Reads programs for rust_codecontests from disk: a folder, a JSON Lines file, or one file."""

import json
from pathlib import Path

from scorer_client._cli.exit_status import UsageError
from scorer_client._cli.source_file import read_source_text

_SUFFIX = ".rs"


def read_programs(path: Path, problem_id: str | None) -> dict[str, str]:
    """For each problem id its source. Raises UsageError, which names the file and the line."""
    if path.is_dir():
        if problem_id is not None:
            raise UsageError(f"{path} is a folder: with --problem, give the one file to score")
        return _read_folder(path)
    text = read_source_text(path)
    if problem_id is not None:
        return {problem_id: text}
    if path.suffix == _SUFFIX:
        raise UsageError(f"{path} is one program: name its problem with --problem ID")
    return _read_json_lines(path, text)


def _read_folder(folder: Path) -> dict[str, str]:
    paths = sorted(path for path in folder.iterdir() if path.suffix == _SUFFIX and path.is_file())
    if not paths:
        raise UsageError(f"{folder} has no programs: there must be a file <problem id>{_SUFFIX} in it")
    return {path.name.removesuffix(_SUFFIX): read_source_text(path) for path in paths}


def _read_json_lines(path: Path, text: str) -> dict[str, str]:
    programs: dict[str, str] = {}
    line_of: dict[str, int] = {}
    # Not splitlines(): it also breaks at characters that JSON allows within a string, such as U+2028.
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            entry = json.loads(line)
        except json.JSONDecodeError as error:
            raise UsageError(
                f"{path}, line {number}: not JSON: {error.msg} at column {error.colno}"
            ) from None
        if not isinstance(entry, dict):
            raise UsageError(f"{path}, line {number}: not an object with problem_id and source")
        for key in ("problem_id", "source"):
            if not isinstance(entry.get(key), str):
                raise UsageError(f"{path}, line {number}: {key} is missing, or is not a string")
        problem_id = entry["problem_id"]
        if problem_id in programs:
            raise UsageError(
                f"{path}, line {number}: problem_id {problem_id!r} was on line {line_of[problem_id]} already"
            )
        programs[problem_id] = entry["source"]
        line_of[problem_id] = number
    if not programs:
        raise UsageError(f"{path} has no programs: each line must be an object with problem_id and source")
    return programs
