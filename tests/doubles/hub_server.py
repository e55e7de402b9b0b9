"""A server that answers as the Hugging Face hub does, for repositories that are folders: listing and files.

Run it as a program, with the folder that has `models/OWNER/NAME` and `datasets/OWNER/NAME` (and maybe
`datasets/OWNER/NAME.converted`, which is the revision of parquet files), and the path of a file in it of
which the first answer breaks off in the middle, or nothing, and 1 if every answer does. It prints its
address, then a line for each file that is asked for, with the first byte that is wanted.
"""

import hashlib
import http.server
import json
import re
import sys
import urllib.parse
from pathlib import Path

COMMIT = "0123456789abcdef0123456789abcdef01234567"
CONVERTED = "refs/convert/parquet"
CONVERTED_COMMIT = "89abcdef0123456789abcdef0123456789abcdef"
LARGE_BYTES = 4096
"""Files from this size on are named by their SHA-256, and lie in a storage of another name, which refuses
the hub's tokens."""


class Handler(http.server.BaseHTTPRequestHandler):
    """Answers for one folder."""

    protocol_version = "HTTP/1.1"
    root: Path
    broken: str = ""
    always = False
    storage = ""

    def do_HEAD(self) -> None:
        self._answer(with_content=False)

    def do_GET(self) -> None:
        self._answer(with_content=True)

    def _answer(self, *, with_content: bool) -> None:
        path = urllib.parse.unquote(urllib.parse.urlsplit(self.path).path)
        if match := re.fullmatch(r"/api/(models|datasets)/([^/]+/[^/]+)(?:/revision/(.+))?", path):
            self._list(match[1], match[2], match[3] or COMMIT)
        elif match := re.fullmatch(r"/(datasets/)?([^/]+/[^/]+)/resolve/([^/]+)/(.+)", path):
            self._file("datasets" if match[1] else "models", match[2], match[3], match[4], with_content)
        elif match := re.fullmatch(r"/storage/([^/]+)/([^/]+/[^/]+)/([^/]+)/(.+)", path):
            if "Authorization" in self.headers:
                self._end(400, b"a token of the hub")
            else:
                self._file(match[1], match[2], match[3], match[4], with_content, stored=True)
        else:
            self._end(404, b"")

    def _folder(self, kind: str, name: str, revision: str) -> Path:
        converted = revision in (CONVERTED, CONVERTED_COMMIT)
        return self.root / kind / (f"{name}.converted" if converted else name)

    def _list(self, kind: str, name: str, revision: str) -> None:
        folder = self._folder(kind, name, revision)
        if not folder.is_dir():
            self._end(404, b'{"error": "Repository not found"}', {"X-Error-Code": "RepoNotFound"})
            return
        siblings = [
            {"rfilename": str(path.relative_to(folder)), "size": path.stat().st_size}
            for path in sorted(folder.rglob("*"))
            if path.is_file()
        ]
        content = {
            "id": name,
            "sha": CONVERTED_COMMIT if folder.suffix else COMMIT,
            "siblings": siblings,
            "tags": [],
            "downloads": 0,
            "private": False,
        }
        self._end(200, json.dumps(content).encode(), {"Content-Type": "application/json"})

    def _file(
        self, kind: str, name: str, revision: str, inside: str, with_content: bool, *, stored: bool = False
    ) -> None:
        path = self._folder(kind, name, revision) / inside
        if not path.is_file():
            self._end(404, b"", {"X-Error-Code": "EntryNotFound", "X-Repo-Commit": COMMIT})
            return
        content = path.read_bytes()
        digest = hashlib.sha256 if len(content) >= LARGE_BYTES else hashlib.sha1
        headers = {
            "ETag": f'"{digest(content).hexdigest()}"',
            "X-Repo-Commit": revision,
            "Accept-Ranges": "bytes",
        }
        if len(content) >= LARGE_BYTES and not stored:
            headers["Location"] = f"{Handler.storage}/storage/{kind}/{name}/{revision}/{inside}"
            headers |= {"X-Linked-ETag": headers["ETag"], "X-Linked-Size": str(len(content))}
            self._end(302, b"", headers)
            return
        start = 0
        if match := re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", "")):
            start = int(match[1])
            headers["Content-Range"] = f"bytes {start}-{len(content) - 1}/{len(content)}"
        if with_content:
            print("fetch", name + "/" + inside, start, flush=True)
        if with_content and str(path.relative_to(self.root)) == Handler.broken:
            Handler.broken = Handler.broken if Handler.always else ""
            self._end(200, content, headers, sent=content[: len(content) // 2])
            self.close_connection = True
            return
        self._end(206 if start else 200, content[start:], headers, with_content=with_content)

    def _end(
        self,
        status: int,
        content: bytes,
        headers: dict[str, str] | None = None,
        *,
        with_content: bool = True,
        sent: bytes | None = None,
    ) -> None:
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if with_content and self.command != "HEAD":
            self.wfile.write(content if sent is None else sent)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is the library's
        """Nothing: what is fetched is printed."""


def main() -> None:
    Handler.root = Path(sys.argv[1])
    Handler.broken, Handler.always = sys.argv[2], sys.argv[3] == "1"
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Handler.storage = f"http://localhost:{server.server_address[1]}"
    print(f"http://127.0.0.1:{server.server_address[1]}", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
