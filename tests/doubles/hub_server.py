"""A server that answers as the Hugging Face hub does, for repositories that are folders: listing and files.

Run it as a program, with the folder that has `models/OWNER/NAME` and `datasets/OWNER/NAME`; it prints its
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
LARGE_BYTES = 4096
"""Files from this size on are named by their SHA-256, as those in large-file storage are."""


class Handler(http.server.BaseHTTPRequestHandler):
    """Answers for one folder."""

    protocol_version = "HTTP/1.1"
    root: Path

    def do_HEAD(self) -> None:
        self._answer(with_content=False)

    def do_GET(self) -> None:
        self._answer(with_content=True)

    def _answer(self, *, with_content: bool) -> None:
        path = urllib.parse.unquote(urllib.parse.urlsplit(self.path).path)
        if match := re.fullmatch(r"/api/(models|datasets)/([^/]+/[^/]+)(/revision/[^/]+)?", path):
            self._list(match[1], match[2])
        elif match := re.fullmatch(r"/(datasets/)?([^/]+/[^/]+)/resolve/([^/]+)/(.+)", path):
            self._file("datasets" if match[1] else "models", match[2], match[4], with_content)
        else:
            self._end(404, b"")

    def _list(self, kind: str, name: str) -> None:
        folder = self.root / kind / name
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
            "sha": COMMIT,
            "siblings": siblings,
            "tags": [],
            "downloads": 0,
            "private": False,
        }
        self._end(200, json.dumps(content).encode(), {"Content-Type": "application/json"})

    def _file(self, kind: str, name: str, inside: str, with_content: bool) -> None:
        path = self.root / kind / name / inside
        if not path.is_file():
            self._end(404, b"", {"X-Error-Code": "EntryNotFound", "X-Repo-Commit": COMMIT})
            return
        content = path.read_bytes()
        digest = hashlib.sha256 if len(content) >= LARGE_BYTES else hashlib.sha1
        headers = {
            "ETag": f'"{digest(content).hexdigest()}"',
            "X-Repo-Commit": COMMIT,
            "Accept-Ranges": "bytes",
        }
        start = 0
        if match := re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", "")):
            start = int(match[1])
            headers["Content-Range"] = f"bytes {start}-{len(content) - 1}/{len(content)}"
        if with_content:
            print("fetch", inside, start, flush=True)
        self._end(206 if start else 200, content[start:], headers, with_content=with_content)

    def _end(
        self, status: int, content: bytes, headers: dict[str, str] | None = None, *, with_content: bool = True
    ) -> None:
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if with_content and self.command != "HEAD":
            self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is the library's
        """Nothing: what is fetched is printed."""


def main() -> None:
    Handler.root = Path(sys.argv[1])
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    print(f"http://127.0.0.1:{server.server_address[1]}", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
