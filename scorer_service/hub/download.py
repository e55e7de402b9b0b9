"""Fetches a large file of the hub into the hub's cache so that a killed download goes on where it was.

`huggingface_hub` drops what it has of a file when its process ends, which costs a slow line hours with a
model of 6 GB. Here the beginning is kept beside the cache's files, whose layout is documented, and the
library's own transfer is told where to go on; the digest decides whether the whole is right.
"""

import contextlib
import fcntl
import re
import urllib.parse
from collections.abc import Callable
from pathlib import Path
from typing import Any

from scorer_service.file_digest import file_sha256
from scorer_service.hub.extra import library

Report = Callable[[str, int, int], None]
"""Is told what is counted (as in "bytes of tokenizer.json fetched"), how many are done, and of how many."""

FROM_BYTES = 64 << 20
"""Smaller files begin again."""

_SHA256 = re.compile(r"[0-9a-f]{64}\Z")


def fetch_large(name: str, path: str, kind: str, revision: str, bar: Any) -> None:
    """Put a file of a repository into the cache, unless it is there, or is none that is named by its SHA-256.

    `bar` is a class like tqdm's, which is told how much has arrived.

    Raises:
        OSError, ValueError, the hub's HTTPError: it cannot be fetched.
    """
    hub, transfer = library("huggingface_hub"), library("huggingface_hub.file_download")
    constants = library("huggingface_hub.constants")
    found = hub.get_hf_file_metadata(hub.hf_hub_url(name, path, repo_type=kind, revision=revision))
    if not _SHA256.match(found.etag or "") or not found.size or found.size < FROM_BYTES:
        return
    blobs = Path(constants.HF_HUB_CACHE) / transfer.repo_folder_name(repo_id=name, repo_type=kind) / "blobs"
    blobs.mkdir(parents=True, exist_ok=True)
    blob, partial = blobs / found.etag, blobs / f"{found.etag}.resumable"
    headers = hub.utils.build_hf_headers()
    if urllib.parse.urlsplit(found.location).netloc != urllib.parse.urlsplit(constants.ENDPOINT).netloc:
        # A token is for the hub, and not for the storage that it points to.
        headers.pop("authorization", None)
    with partial.open("ab", buffering=0) as file:
        fcntl.flock(file, fcntl.LOCK_EX)  # another process may be fetching the same
        if blob.exists():
            partial.unlink(missing_ok=True)
            return
        done_bytes = file.tell()
        if done_bytes > found.size:
            file.truncate(done_bytes := 0)
        transfer.http_get(
            found.location,
            file,
            resume_size=done_bytes,
            headers=headers,
            expected_size=found.size,
            tqdm_class=bar,
        )
        if file_sha256(partial) != found.etag:
            partial.unlink()
            raise OSError(f"{path} did not arrive as the hub has it")
        partial.replace(blob)


def cached_digest(path: Path) -> str:
    """The SHA-256 by which the cache names a large file; empty for a small one, which it names otherwise."""
    with contextlib.suppress(OSError):  # no link: a cache without them, or a copy
        # One link only: the file there may itself be a link into a store that is shared between repositories.
        if _SHA256.match(name := path.readlink().name):
            return name
    return ""
