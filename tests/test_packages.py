"""Which package of the service may know which: the arrows of docs/design/README.md."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

SERVICE = "scorer_service"
KNOWS = {
    "api": {"operation", "logs", "scheduling", "store", "environments", "metrics"},
    "operation": {"sandbox", "scheduling", "store", "worker"},
    "scheduling": {"logs", "store", "environments"},
    # The queue and the scores are of submissions, whose words are those of environments.
    "store": {"environments"},
    "environments": {"calibration", "evaluation", "graph", "hub", "language", "sandbox", "worker"},
    "calibration": {"environments", "sandbox", "worker"},
    "evaluation": {"worker"},
    "language": {"evaluation", "hub"},
    "worker": {"logs", "sandbox"},
    "graph": set(),
    "hub": set(),
    "logs": set(),
    "sandbox": set(),
    # Decorators at the seams of the others.
    "metrics": {"environments", "sandbox", "scheduling", "store", "worker"},
    "tracing": {"api", "environments", "logs", "sandbox", "scheduling", "store", "worker"},
}


def imported(file: Path) -> Iterator[str]:
    """Packages of the service that a file imports, without single modules at its top."""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        for name in names:
            top, _, inner = name.partition(".")
            package = inner.partition(".")[0]
            if top == SERVICE and package in KNOWS:
                yield package


def test_every_package_is_in_the_table(repository: Path) -> None:
    packages = {file.parent.name for file in (repository / SERVICE).glob("*/__init__.py")}
    assert packages == set(KNOWS)


@pytest.mark.parametrize("package", KNOWS)
def test_a_package_knows_no_more_than_it_may(repository: Path, package: str) -> None:
    beyond = {
        f"{file.relative_to(repository)} -> {name}"
        for file in (repository / SERVICE / package).rglob("*.py")
        for name in imported(file)
        if name != package and name not in KNOWS[package]
    }
    assert beyond == set()


def test_of_the_client_only_what_is_public_is_used(repository: Path) -> None:
    private = re.compile(r"scorer_client(\.\w+)*\._")
    files = sorted((repository / SERVICE).rglob("*.py"))
    assert [str(file) for file in files if private.search(file.read_text())] == []
