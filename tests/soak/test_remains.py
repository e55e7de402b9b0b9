"""What looks at the remains of a soak finds what it is for."""

import json
import os
import sqlite3
import subprocess
from hashlib import sha256
from pathlib import Path

import leftovers
import pytest

from scorer_service.environments.rust_codecontests import program_cache
from scorer_service.store.database import FILE_NAME
from tests.soak import remains, stored_jobs
from tests.soak.watching import SETTLED_S, Sample, growth, sample_of

MIB = 1 << 20
LOOKS = 120
"""One a second; half of what follows the first thirty is looked at."""


def samples(*sizes_mib: float, pid: int = 7) -> list[Sample]:
    return [Sample(float(at_s), pid, int(size * MIB), 10, 5) for at_s, size in enumerate(sizes_mib)]


def test_memory_that_grows_is_seen_and_memory_of_before_is_not() -> None:
    flat, steady = growth(samples(*[100.0] * LOOKS)), growth(samples(*map(float, range(LOOKS))))
    assert flat is not None
    assert (flat.grown_mib, flat.mib_an_hour) == (0.0, 0.0)
    assert steady is not None
    # From the middle of the first third of the late half to that of the last.
    assert steady.grown_mib == pytest.approx(30.0)
    assert steady.mib_an_hour == pytest.approx(3600.0)
    settled = growth(samples(*[1.0] * int(SETTLED_S), *[100.0] * (LOOKS - int(SETTLED_S))))
    assert settled is not None
    assert settled.grown_mib == 0.0


def test_only_the_last_process_counts_and_only_where_it_lived_for_long() -> None:
    before = samples(*[900.0] * LOOKS, pid=6)
    found = growth([*before, *samples(*[100.0] * LOOKS)])
    assert found is not None
    assert (found.pid, found.first_mib) == (7, 100.0)
    assert growth([*before, *samples(*[100.0] * 60)]) is None
    assert growth([]) is None


def test_a_process_is_measured_and_one_that_has_gone_is_not() -> None:
    found = sample_of(os.getpid())
    assert found is not None
    assert found.resident_bytes > 10 * MIB
    assert found.descriptors > 2
    assert found.threads > 0
    ended = subprocess.Popen(["true"])
    ended.wait()
    assert sample_of(ended.pid) is None


def test_children_are_found() -> None:
    with subprocess.Popen(["sleep", "60"]) as child:
        assert child.pid in leftovers.children(os.getpid())
        child.kill()
    assert child.pid not in leftovers.children(os.getpid())


@pytest.mark.parametrize(
    ("name", "owner"),
    [
        ("scorer-4026531836-77-123456-0", 77),
        ("scorer-4026531836-77-123456", None),
        ("scorer-tests", None),
        ("scorer-a-b-c-d", None),
    ],
)
def test_a_cgroup_belongs_to_the_server_in_its_name(name: str, owner: int | None) -> None:
    assert leftovers._owner(name) == owner


def cache_entry(folder: Path, name: str, program: bytes, told: bytes | None) -> Path:
    entry = folder / name
    entry.mkdir()
    (entry / "program").write_bytes(program)
    digest = sha256(told).hexdigest() if told is not None else None
    (entry / "record.json").write_text(json.dumps({"program_sha256": digest}))
    return entry


def test_a_program_in_the_cache_that_was_changed_or_not_finished_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = cache_entry(tmp_path, "whole", b"program", b"program")
    refused = cache_entry(tmp_path, "refused", b"", None)
    assert list(remains._cache([whole, refused], 0)) == []
    changed = cache_entry(tmp_path, "changed", b"other", b"program")
    assert list(remains._cache([whole, changed], 0)) == ["changed is not what was stored"]
    unfinished = tmp_path / ".unfinished"
    unfinished.mkdir()
    assert list(remains._cache([whole, unfinished], 1)) == []
    assert "never finished" in next(remains._cache([whole, unfinished], 0))
    size_bytes = sum(file.stat().st_size for file in whole.iterdir())
    monkeypatch.setattr(program_cache, "DEFAULT_SIZE_LIMIT_BYTES", size_bytes)
    assert list(remains._cache([whole], 0)) == []
    monkeypatch.setattr(program_cache, "DEFAULT_SIZE_LIMIT_BYTES", size_bytes - 1)
    assert list(remains._cache([whole], 0)) == [f"{size_bytes} bytes, the limit is {size_bytes - 1}"]


def test_artifacts_that_are_not_whole_are_told(tmp_path: Path) -> None:
    partial, whole = tmp_path / "artifacts" / "partial", tmp_path / "artifacts" / "sha256"
    partial.mkdir(parents=True)
    whole.mkdir()
    right, wrong = whole / sha256(b"right").hexdigest(), whole / sha256(b"wrong").hexdigest()
    right.write_bytes(b"right")
    wrong.write_bytes(b"other")
    assert list(remains._artifacts(tmp_path, [right])) == []
    (partial / "half").touch()
    assert list(remains._artifacts(tmp_path, [right, wrong])) == [
        "an upload was never finished: half",
        f"{wrong.name} is another content",
    ]


def test_a_database_that_is_damaged_is_told(tmp_path: Path) -> None:
    path = tmp_path / FILE_NAME
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE jobs (id INTEGER PRIMARY KEY, name TEXT)")
        connection.execute("CREATE INDEX names ON jobs (name)")
        connection.executemany("INSERT INTO jobs (name) VALUES (?)", [(f"name {n}",) for n in range(500)])
    connection.close()
    assert stored_jobs.complaints(tmp_path) == ""
    content = bytearray(path.read_bytes())
    content[-1024:] = bytes(1024)
    path.write_bytes(content)
    assert stored_jobs.complaints(tmp_path) != ""
