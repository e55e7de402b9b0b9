"""A repository of the Hugging Face hub, its cached copy where there is no network, or a folder like one."""

import contextlib
import socket
import threading
import urllib.parse
import urllib.request
from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from scorer_service.file_digest import file_sha256
from scorer_service.hub import download
from scorer_service.hub.download import Report, cached_digest
from scorer_service.hub.extra import HubFailed, library

Kind = Literal["model", "dataset"]

CONVERTED_TEXT = "refs/convert/parquet"
"""The revision in which the hub keeps parquet files of data sets that were uploaded as something else."""

CONNECT_LIMIT_S = 5.0
"""For an answer from the hub. Its own client tries for minutes where there is no network."""
LISTING_LIMIT_S = 60.0

WITHOUT_NETWORK = (
    "Give this machine access to it; or name a mirror in HF_ENDPOINT; or fetch on another machine and let"
    " HF_HUB_CACHE name a copy of its cache"
)


@dataclass(frozen=True)
class HubFile:
    """A file of a repository."""

    path: str
    """Inside the repository."""
    size_bytes: int


class Repository(ABC):
    """Files by name, at one revision."""

    name: str
    """On the hub; of a folder its path."""
    revision: str
    """The commit; empty for a folder."""

    @property
    @abstractmethod
    def files(self) -> list[HubFile]:
        """All files, by path."""

    @abstractmethod
    def missing_bytes(self, file: HubFile) -> int:
        """What fetching it would add to the hub's cache."""

    @abstractmethod
    def fetch(self, path: str, report: Report) -> Path:
        """A file on this machine. Raises HubFailed."""

    def file(self, path: str) -> HubFile:
        """A file by its path. Raises HubFailed where there is none."""
        for file in self.files:
            if file.path == path:
                return file
        raise HubFailed(f"{self.name} has no file {path}{self._whereabouts()}")

    def parquet_files(self) -> list[HubFile]:
        """Those of the training split, in the order of their names. Raises HubFailed."""
        found = [file for file in self.files if file.path.endswith(".parquet") and "train" in file.path]
        if not found:
            raise HubFailed(f"{self.name} has no parquet file of a split train{self._whereabouts()}")
        return sorted(found, key=lambda file: file.path)

    def _whereabouts(self) -> str:
        return ""


class FolderRepository(Repository):
    """A folder that is laid out like a repository."""

    def __init__(self, folder: Path) -> None:
        self.name, self.revision = str(folder), ""
        self._folder = folder
        self._files = _files_under(folder)

    @property
    def files(self) -> list[HubFile]:
        """All files, by path."""
        return self._files

    def missing_bytes(self, file: HubFile) -> int:
        """Nothing: it is read where it is."""
        return 0

    def fetch(self, path: str, report: Report) -> Path:
        """The file itself."""
        return self._folder / self.file(path).path


class CachedRepository(Repository):
    """What the hub's cache on this machine has of a repository, where the hub cannot be asked."""

    def __init__(self, name: str, kind: Kind, revision: str) -> None:
        self.name = name
        hub = library("huggingface_hub")
        snapshots = []
        with contextlib.suppress(library("huggingface_hub.errors").CacheNotFound):
            snapshots = [
                (snapshot, repository)
                for repository in hub.scan_cache_dir().repos
                if (repository.repo_id, repository.repo_type) == (name, kind)
                for snapshot in repository.revisions
                if not revision or snapshot.commit_hash == revision
            ]
        if not snapshots:
            at = f" at revision {revision}" if revision else ""
            raise HubFailed(f"{_unreachable()}, and its cache has no {name}{at}. {WITHOUT_NETWORK}")
        newest = max(snapshots, key=lambda found: ("main" in found[0].refs, found[0].last_modified))[0]
        self.revision = newest.commit_hash
        self._folder = Path(newest.snapshot_path)
        self._files = _files_under(self._folder)
        self._checked: set[str] = set()

    @property
    def files(self) -> list[HubFile]:
        """Those that were fetched completely."""
        return self._files

    def missing_bytes(self, file: HubFile) -> int:
        """Nothing: what is listed is here."""
        return 0

    def fetch(self, path: str, report: Report) -> Path:
        """The file in the cache."""
        found = self._folder / self.file(path).path
        check_digest(found, self._checked)
        return found

    def _whereabouts(self) -> str:
        return f" in the cache on this machine. {_unreachable()}. {WITHOUT_NETWORK}"


class HubRepository(Repository):
    """A repository of the hub; fetched files stay in the hub's cache on this machine."""

    def __init__(self, name: str, kind: Kind, revision: str) -> None:
        self.name, self._kind = name, kind
        self._hub = library("huggingface_hub")
        information = self._information(revision)
        self._files = self._listed(information)
        if (
            kind == "dataset"
            and not revision
            and not any(file.path.endswith(".parquet") for file in self._files)
        ):
            information = self._information(CONVERTED_TEXT)
            self._files = self._listed(information)
        self.revision = information.sha
        self._checked: set[str] = set()

    @property
    def files(self) -> list[HubFile]:
        """All files, by path."""
        return self._files

    def missing_bytes(self, file: HubFile) -> int:
        """Its size, unless it is in the cache."""
        cached = self._hub.try_to_load_from_cache(
            self.name, file.path, revision=self.revision, repo_type=self._kind
        )
        return 0 if isinstance(cached, str) else file.size_bytes

    def fetch(self, path: str, report: Report) -> Path:
        """The file in the cache, fetched unless it is there; what broke off goes on where it was."""
        stage = f"bytes of {self.name}/{path} fetched"
        bar = _reporting_bar(stage, report)
        try:
            if self.missing_bytes(self.file(path)) >= download.FROM_BYTES:
                download.fetch_large(self.name, path, self._kind, self.revision, bar)
            found = Path(
                self._hub.hf_hub_download(
                    self.name,
                    self.file(path).path,
                    repo_type=self._kind,
                    revision=self.revision,
                    tqdm_class=bar,
                )
            )
        except _errors() as error:
            raise HubFailed(
                f"cannot fetch {path} of {self.name}: {error}. What has arrived is kept: run the"
                f" command again. {WITHOUT_NETWORK}"
            ) from error
        check_digest(found, self._checked)
        return found

    def _information(self, revision: str) -> Any:
        try:
            return self._hub.HfApi().repo_info(
                self.name,
                repo_type=self._kind,
                revision=revision or None,
                files_metadata=True,
                timeout=LISTING_LIMIT_S,
            )
        except _errors() as error:
            raise HubFailed(f"cannot list {self.name} on the hub: {error}. {WITHOUT_NETWORK}") from error

    def _listed(self, information: Any) -> list[HubFile]:
        return sorted(
            (HubFile(entry.rfilename, entry.size or 0) for entry in information.siblings or ()),
            key=lambda file: file.path,
        )


def open_repository(name: str | Path, kind: Kind, revision: str = "") -> Repository:
    """A repository by its name on the hub, or a folder in its place.

    Raises:
        HubFailed: it is neither on the hub nor in its cache, or the extra is not installed.
    """
    if Path(name).is_dir():
        return FolderRepository(Path(name))
    constants = library("huggingface_hub.constants")
    if constants.HF_HUB_OFFLINE or not _reachable(constants.ENDPOINT):
        return CachedRepository(str(name), kind, revision)
    return HubRepository(str(name), kind, revision)


def check_digest(path: Path, checked: set[str]) -> None:
    """Hold a file of the hub's cache against its digest: the cache names large files by their SHA-256.

    Raises:
        HubFailed: it is damaged.
    """
    digest = cached_digest(path)
    if not digest or digest in checked:
        return
    if file_sha256(path) != digest:
        content = path.resolve()
        raise HubFailed(
            f"{content} is damaged (its SHA-256 is not its name): delete it to have it fetched again"
        )
    checked.add(digest)


def _files_under(folder: Path) -> list[HubFile]:
    found = [path for path in folder.rglob("*") if path.is_file()]
    return sorted(
        (HubFile(path.relative_to(folder).as_posix(), path.stat().st_size) for path in found),
        key=lambda file: file.path,
    )


def _reporting_bar(stage: str, report: Report) -> Any:
    """A class for the hub's progress that tells `report` in place of drawing a bar."""
    bar: Any = library("tqdm").tqdm

    class Bar(bar):  # type: ignore[misc]
        def __init__(self, *arguments: Any, **options: Any) -> None:
            options.pop("name", None)
            self._done, self._whole = options.get("initial") or 0, options.get("total") or 0
            super().__init__(*arguments, **{**options, "disable": True})

        def update(self, n: float | None = 1) -> None:
            self._done += int(n or 0)
            report(stage, self._done, max(self._whole, self._done))

    return Bar


def _unreachable() -> str:
    constants = library("huggingface_hub.constants")
    if constants.HF_HUB_OFFLINE:
        return "HF_HUB_OFFLINE forbids to ask the Hugging Face hub"
    return f"the Hugging Face hub ({constants.ENDPOINT}) cannot be reached"


def _errors() -> tuple[type[Exception], ...]:
    """The families of what the hub's library raises; that of its HTTP client changes with its versions."""
    return OSError, ValueError, library("huggingface_hub.errors").HTTPError


def _reachable(endpoint: str) -> bool:
    """Whether somebody listens there, or a proxy is to be asked."""
    address = urllib.parse.urlsplit(endpoint)
    if address.scheme in urllib.request.getproxies():
        return True
    answered = threading.Event()

    def connect() -> None:
        port = address.port or (443 if address.scheme == "https" else 80)
        with (
            contextlib.suppress(OSError),
            socket.create_connection((address.hostname or "", port), timeout=CONNECT_LIMIT_S),
        ):
            answered.set()

    # A thread that may be left behind: looking up a name has no limit of its own.
    asking = threading.Thread(target=connect, daemon=True)
    asking.start()
    asking.join(CONNECT_LIMIT_S)
    return answered.is_set()
