"""Rows of a problem set, and files of them with their index."""

import dataclasses
import json
import os
import random
import tempfile
from pathlib import Path
from typing import Any

from leftovers import resident_bytes

from scorer_service.environments.rust_codecontests import problem_set, row
from tests.fuzz.campaign import Fault
from tests.fuzz.documents import changed, written
from tests.fuzz.guided import Corpus

ROW: dict[str, Any] = {
    "problem_id": "echo",
    "name": "Echo",
    "description": "Print any of them.",
    "public_tests": {"input": ["1\n"], "output": ["1\n"]},
    "private_tests": {"input": ["2\n", "3\n"], "output": ["2\n", "0.5\n"]},
    "generated_tests": {"input": [], "output": []},
    "time_limit": {"seconds": 2, "nanos": 500_000_000},
    "memory_limit_bytes": 256 << 20,
    "input_file": "in.txt",
    "output_file": "",
    "several_answers": False,
    "cf_rating": 800,
    "source": 2,
}
CHECKERS: tuple[Any, ...] = (
    None,
    {"kind": "exact"},
    {"kind": "tokens", "decimals": None},
    {"kind": "floats", "absolute": 1e-6, "relative": 0},
    {"kind": "unordered_lines", "decimals": True},
    {"kind": "special", "source": "fn main() {}"},
)
_HUGE = (10**400, -(10**400), 1 << 70, 10**308)


class ProblemRowsSurface:
    """The loader, in this process."""

    name = "problem rows"
    growth_limit_bytes = 32 << 20

    def __init__(self) -> None:
        seeds = [{**ROW, "checker": checker} for checker in CHECKERS]
        self._corpus: Corpus[Any] = Corpus(
            seeds, ["/rust_codecontests/row.py", "/rust_codecontests/problem_set.py"]
        )
        self._folder = tempfile.TemporaryDirectory(prefix="fuzz-rows-")

    def attempt(self, chance: random.Random) -> str:
        """A row, or now and then a file of some with an index."""
        if chance.random() < 0.05:
            return self._file(chance)
        document = changed(self._corpus.choose(chance), chance)
        if chance.random() < 0.15 and isinstance(document, dict):
            _put_huge(document, chance)
        line = written(document, chance)
        if chance.random() < 0.05:
            depth = chance.randrange(800, 1100)
            line = line.replace(b'"echo"', b"[" * depth + b"]" * depth, 1)
        with self._corpus.watching(document):
            return _read(line)

    def resident_bytes(self) -> int:
        """Of this process."""
        return resident_bytes(os.getpid())

    def close(self) -> None:
        """Remove the files."""
        self._folder.cleanup()

    def _file(self, chance: random.Random) -> str:
        folder = Path(self._folder.name)
        path, index_dir = folder / "set.jsonl", folder / "index"
        lines = [
            written({**self._corpus.choose(chance), "problem_id": f"p{number}"}, chance)
            for number in range(3)
        ]
        path.write_bytes(b"\n".join(lines) + chance.choice((b"", b"\n")))
        problem_set.check_problem_set(path)
        try:
            opened = problem_set.ProblemSet.open(path, index_dir)
        except problem_set.ProblemSetRefused:
            return "file refused"
        before = dict(opened.problems)
        for problem_id in before:
            opened.read(problem_id)
        opened.close()
        (index,) = index_dir.iterdir()
        index.write_bytes(written(changed(json.loads(index.read_bytes()), chance), chance))
        again = problem_set.ProblemSet.open(path, index_dir)
        again.close()
        index.unlink(missing_ok=True)
        return "file accepted"


def _read(line: bytes) -> str:
    try:
        document = row.decode(line)
        found, content = row.parse(document)
        row.warnings(document)
    except row.RowRefused as error:
        if len(str(error)) > 100_000:
            raise Fault(f"{len(str(error))} characters are told") from error
        return "refused"
    json.dumps(dataclasses.asdict(found))
    if not found.hidden_count == len(content.hidden_tests) > 0:
        raise Fault(f"accepted without hidden tests: {found}")
    if found.checker.kind != "special":
        found.checker.to_launcher().accepts(stdin=b"", expected=b"1", output=b"1")
    found.limits(16, 1 << 20)
    return "accepted"


def _put_huge(document: dict[str, Any], chance: random.Random) -> None:
    number = chance.choice(_HUGE)
    document["time_limit"] = chance.choice(
        (number, {"seconds": number}, {"nanos": number}, {"seconds": 0, "nanos": number})
    )
    document["memory_limit_bytes"] = chance.choice((number, 1 << 28))
    document["checker"] = chance.choice(
        ({"kind": "floats", "absolute": number}, {"kind": "floats", "relative": 1e308}, None)
    )
