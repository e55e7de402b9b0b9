"""The library's surface: what it needs, how both colours agree, and what a type checker refuses."""

import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest
import scorer_client
from scorer_client import AsyncScorerClient, ScorerClient

REPOSITORY = Path(__file__).parents[2]
# Not named *.py, so that the project's own type check does not take it for a mistake.
WRONG_USE = Path(__file__).parent / "wrong_use.py.txt"
PUBLIC_METHODS = sorted(name for name in vars(ScorerClient) if not name.startswith("_"))


def test_both_colours_have_the_same_methods() -> None:
    assert sorted(name for name in vars(AsyncScorerClient) if not name.startswith("_")) == PUBLIC_METHODS


@pytest.mark.parametrize("name", ["__init__", *PUBLIC_METHODS])
def test_both_colours_take_the_same_arguments(name: str) -> None:
    ours, theirs = (inspect.signature(getattr(c, name)) for c in (ScorerClient, AsyncScorerClient))
    assert ours.parameters == theirs.parameters
    returned = str(theirs.return_annotation).replace("AsyncIterator", "Iterator")
    assert str(ours.return_annotation) == returned


def test_every_public_name_is_described() -> None:
    for name in scorer_client.__all__:
        exported = getattr(scorer_client, name)
        assert exported.__doc__, name
        assert not exported.__doc__.startswith(f"{name}("), f"{name} has only a dataclass's own docstring"
    for client in (ScorerClient, AsyncScorerClient):
        for name in PUBLIC_METHODS:
            assert getattr(client, name).__doc__, name


def test_importing_needs_grpcio_and_protobuf_alone() -> None:
    program = """
import sys
import google.protobuf.descriptor_pb2, grpc, grpc.aio
before = set(sys.modules)  # grpc itself imports what it finds of its companions
import scorer_client, scorer_client.main
for environment in scorer_client.main.score.supported_environments():
    __import__(f"scorer_client._cli.scorers.{environment}")
new = {name for name in set(sys.modules) - before if not name.startswith("google.protobuf.")}
print(sorted({name.partition(".")[0] for name in new} - sys.stdlib_module_names))
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout == "['scorer', 'scorer_client']\n"


def test_a_harness_may_import_googleapis_before_or_after() -> None:
    for order in ("google.rpc.status_pb2, scorer_client", "scorer_client, google.rpc.status_pb2"):
        subprocess.run([sys.executable, "-W", "error", "-c", f"import {order}"], check=True)


def test_wrong_use_fails_type_checking(tmp_path: Path) -> None:
    checked = tmp_path / "wrong_use.py"
    checked.write_text(WRONG_USE.read_text())
    expected = {
        (number, found[1])
        for number, line in enumerate(WRONG_USE.read_text().splitlines(), start=1)
        if (found := re.search(r"# expect: (\S+)$", line))
    }
    assert expected
    run = subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file", "pyproject.toml", "--no-pretty", str(checked)],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
    )
    reported = {
        (int(found[1]), found[2])
        for found in re.finditer(r"wrong_use\.py:(\d+): error: .*\[(\S+)\]$", run.stdout, re.MULTILINE)
    }
    assert reported == expected, run.stdout + run.stderr
