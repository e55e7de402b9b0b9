"""Fetching from a server that answers as the hub does: progress, broken downloads, damage, no network."""

import json
import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import tiny_hub
from hub_server import COMMIT, CONVERTED_COMMIT, LARGE_BYTES

pytest.importorskip("huggingface_hub", reason="the extra `hub` is not installed")
pytest.importorskip("pyarrow")
pytest.importorskip("tokenizers")

DOUBLES = Path(tiny_hub.__file__).parent
NAMES = ("openai/xl", "openai/small", "people/text")
LIMIT_S = 120.0


class HubProcess:
    """The server, and the environment of a process that asks it."""

    def __init__(self, root: Path, cache: Path, broken: str = "", always: bool = False) -> None:
        self._server = subprocess.Popen(
            [sys.executable, DOUBLES / "hub_server.py", root, broken, str(int(always))],
            stdout=subprocess.PIPE,
        )
        self.address = self._line()
        self.environment = {
            name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")
        } | {
            "PYTHONPATH": os.pathsep.join(sys.path),
            "HF_ENDPOINT": self.address,
            "HF_HOME": str(cache),
            "HF_HUB_CACHE": str(cache / "hub"),
            "HF_HUB_OFFLINE": "0",
            "HF_TOKEN": "hf_abcdefghijklmnopqrstuvwxyzabcdefgh",
        }

    def stop(self) -> None:
        self._server.kill()
        self._server.wait()
        assert self._server.stdout is not None
        self._server.stdout.close()

    @property
    def runs(self) -> bool:
        return self._server.poll() is None

    def fetched(self) -> list[tuple[str, int]]:
        """Files that were asked for since the last time, and from which byte on."""
        found = []
        assert self._server.stdout is not None
        while select.select([self._server.stdout], [], [], 0)[0] and (line := self._line()):
            _, name, start = line.split()
            found.append((name, int(start)))
        return found

    def prepare(
        self, folder: Path, counted: str = "", after: int = 0, **environment: str
    ) -> "subprocess.CompletedProcess[str]":
        folder.mkdir(exist_ok=True)
        # The same documents are hidden in all folders, so that the same files are read.
        (folder / "split.key").write_bytes(bytes(range(32)))
        return subprocess.run(
            [sys.executable, DOUBLES / "preparation_process.py", *NAMES, folder, counted, str(after)],
            capture_output=True,
            text=True,
            timeout=LIMIT_S,
            env=self.environment | environment,
        )

    def _line(self) -> str:
        # Unbuffered reading, so that `select` tells whether there is more.
        assert self._server.stdout is not None
        line = bytearray()
        while not line.endswith(b"\n"):
            byte = os.read(self._server.stdout.fileno(), 1)
            if not byte:
                break
            line += byte
        return line.decode().strip()


@pytest.fixture(scope="module")
def repositories(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("repositories")
    tiny_hub.write_hub(folder / "made")
    for made, place in (("xl", "models/openai"), ("small", "models/openai"), ("text", "datasets/people")):
        (folder / place).mkdir(parents=True, exist_ok=True)
        (folder / "made" / made).rename(folder / place / made)
    return folder


@pytest.fixture
def hub(repositories: Path, tmp_path: Path) -> Iterator[HubProcess]:
    process = HubProcess(repositories, tmp_path / "cache")
    yield process
    if process.runs:
        process.stop()


def manifest(folder: Path) -> dict[str, object]:
    content: dict[str, object] = json.loads((folder / "manifest.json").read_text())
    return content


def test_everything_is_fetched_by_name_with_progress_and_only_what_is_needed(
    hub: HubProcess, tmp_path: Path
) -> None:
    done = hub.prepare(tmp_path / "paper")

    assert done.returncode == 0, done.stderr
    assert manifest(tmp_path / "paper")["sources"] == dict.fromkeys(NAMES, COMMIT)
    size = (tmp_path / "cache").rglob("model.safetensors")
    sizes = {path.stat().st_size for path in size}
    for bytes_ in sizes:
        assert f"{bytes_} {bytes_} bytes of openai/" in done.stdout
    names = [name for name, _ in hub.fetched()]
    assert sorted(set(names)) == sorted(names), "nothing is fetched twice"
    parquet = [name for name in names if name.endswith(".parquet")]
    assert 1 < len(parquet) < 18
    assert parquet == [
        f"people/text/plain_text/train-{number:05d}-of-00018.parquet" for number in range(len(parquet))
    ]


def test_a_killed_download_goes_on_where_it_was_and_nothing_else_is_fetched_again(
    hub: HubProcess, tmp_path: Path
) -> None:
    counted = "bytes of openai/xl/model.safetensors"
    partial = hub.prepare(tmp_path / "paper", counted, 5)
    assert partial.returncode == -signal.SIGKILL
    before = {name for name, _ in hub.fetched()}

    done = hub.prepare(tmp_path / "paper", counted, 10**6)

    assert done.returncode == 0, done.stderr
    after = dict(hub.fetched())
    assert before & set(after) == {"openai/xl/model.safetensors"}
    assert "openai/small/model.safetensors" in before
    assert after["openai/xl/model.safetensors"] == 4 * 4096
    assert not list((tmp_path / "cache").rglob("*.resumable"))


def test_a_beginning_that_is_of_another_file_is_found_and_dropped(hub: HubProcess, tmp_path: Path) -> None:
    counted = "bytes of openai/xl/model.safetensors"
    hub.prepare(tmp_path / "paper", counted, 5)
    (beginning,) = (tmp_path / "cache").rglob("*.resumable")
    beginning.write_bytes(bytes(4096))

    refused = hub.prepare(tmp_path / "paper", counted, 10**6)
    done = hub.prepare(tmp_path / "paper", counted, 10**6)

    assert refused.returncode == 1
    assert "model.safetensors did not arrive as the hub has it" in refused.stderr
    assert "run the command again" in refused.stderr
    assert done.returncode == 0, done.stderr


def test_a_file_in_the_store_that_repositories_share_is_not_taken_for_damaged(
    hub: HubProcess, tmp_path: Path
) -> None:
    assert hub.prepare(tmp_path / "first").returncode == 0
    blob = next((tmp_path / "cache").rglob("train-00000*")).parent.parent.parent.parent / "blobs"
    store = tmp_path / "cache" / "hub" / "blobs" / "ab"
    store.mkdir(parents=True)
    for number, path in enumerate(sorted(blob.iterdir())):
        path.rename(store / f"{number:064x}")
        path.symlink_to(store / f"{number:064x}")

    done = hub.prepare(tmp_path / "second", HF_HUB_OFFLINE="1")

    assert done.returncode == 0, done.stderr


def test_a_connection_that_breaks_is_made_again(repositories: Path, tmp_path: Path) -> None:
    hub = HubProcess(repositories, tmp_path / "cache", broken="models/openai/xl/model.safetensors")
    try:
        done = hub.prepare(tmp_path / "paper")
        asked = [start for name, start in hub.fetched() if name == "openai/xl/model.safetensors"]
    finally:
        hub.stop()

    assert done.returncode == 0, done.stderr
    assert len(asked) == 2


def test_a_connection_that_always_breaks_ends_with_a_way_out(repositories: Path, tmp_path: Path) -> None:
    hub = HubProcess(repositories, tmp_path / "cache", broken="models/openai/small/config.json", always=True)
    try:
        done = hub.prepare(tmp_path / "paper")
    finally:
        hub.stop()

    assert done.returncode == 1
    assert "cannot fetch config.json of openai/small" in done.stderr
    assert "HF_ENDPOINT" in done.stderr
    assert "Traceback" not in done.stderr


def test_without_network_the_cache_is_enough(hub: HubProcess, tmp_path: Path) -> None:
    assert hub.prepare(tmp_path / "first").returncode == 0
    hub.stop()

    unreachable = hub.prepare(tmp_path / "second")
    offline = hub.prepare(tmp_path / "third", HF_HUB_OFFLINE="1")

    assert unreachable.returncode == 0, unreachable.stderr
    assert offline.returncode == 0, offline.stderr
    for folder in ("second", "third"):
        assert manifest(tmp_path / folder)["sources"] == manifest(tmp_path / "first")["sources"]


def test_a_cache_that_lacks_a_file_says_which_and_how_to_get_it(hub: HubProcess, tmp_path: Path) -> None:
    assert hub.prepare(tmp_path / "first").returncode == 0
    for path in (tmp_path / "cache").rglob("model.safetensors"):
        path.unlink()

    done = hub.prepare(tmp_path / "second", HF_HUB_OFFLINE="1")

    assert done.returncode == 1
    assert "openai/small has no file model.safetensors in the cache on this machine" in done.stderr
    assert "HF_HUB_OFFLINE" in done.stderr
    assert "HF_ENDPOINT" in done.stderr


def test_a_file_that_was_damaged_in_the_cache_is_not_used(hub: HubProcess, tmp_path: Path) -> None:
    assert hub.prepare(tmp_path / "first").returncode == 0
    damaged = next((tmp_path / "cache").rglob("train-00000*")).resolve()
    content = bytearray(damaged.read_bytes())
    assert len(content) >= LARGE_BYTES
    content[1000] ^= 1
    damaged.write_bytes(content)

    refused = hub.prepare(tmp_path / "second")
    damaged.unlink()
    done = hub.prepare(tmp_path / "second")

    assert refused.returncode == 1
    assert f"{damaged} is damaged" in refused.stderr
    assert "delete it to have it fetched again" in refused.stderr
    assert done.returncode == 0, done.stderr


def test_a_hub_that_nobody_answers_for_names_the_ways_out(hub: HubProcess, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]

    done = hub.prepare(tmp_path / "paper", HF_ENDPOINT=f"http://127.0.0.1:{port}")

    assert done.returncode == 1
    assert f"the Hugging Face hub (http://127.0.0.1:{port}) cannot be reached" in done.stderr
    for words in ("openai/small", "HF_ENDPOINT", "HF_HUB_CACHE"):
        assert words in done.stderr
    assert "Traceback" not in done.stderr


def test_a_text_that_was_not_uploaded_as_parquet_is_taken_from_the_converted_revision(
    hub: HubProcess, repositories: Path, tmp_path: Path
) -> None:
    text = repositories / "datasets/people/text"
    converted = text.rename(text.with_name("text.converted"))
    text.mkdir()
    (text / "subset.tar").write_bytes(b"not parquet")
    try:
        done = hub.prepare(tmp_path / "paper")
        again = hub.prepare(tmp_path / "paper")
    finally:
        (text / "subset.tar").unlink()
        text.rmdir()
        converted.rename(text)

    assert done.returncode == 0, done.stderr
    assert manifest(tmp_path / "paper")["sources"] == {
        **dict.fromkeys(NAMES, COMMIT),
        "people/text": CONVERTED_COMMIT,
    }
    assert (again.returncode, again.stdout) == (0, "")


def test_a_name_that_the_hub_does_not_know_is_said(
    hub: HubProcess, repositories: Path, tmp_path: Path
) -> None:
    text = repositories / "datasets/people/text"
    away = text.rename(text.with_name("away"))
    try:
        done = hub.prepare(tmp_path / "paper")
    finally:
        away.rename(text)

    assert done.returncode == 1
    assert "cannot list people/text on the hub" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_extra_that_is_not_installed_is_named(hub: HubProcess, tmp_path: Path) -> None:
    (tmp_path / "shadow").mkdir()
    (tmp_path / "shadow" / "tokenizers.py").write_text("raise ModuleNotFoundError(name='tokenizers')\n")
    first = os.pathsep.join([str(tmp_path / "shadow"), hub.environment["PYTHONPATH"]])

    done = hub.prepare(tmp_path / "paper", PYTHONPATH=first)

    assert done.returncode == 1
    assert "tokenizers is missing; it comes with an extra: pip install 'scorer-service[hub]'" in done.stderr
    assert hub.fetched() == [], "it is said before gigabytes are fetched"
