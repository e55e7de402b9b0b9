"""Certificates for tests, made by the `openssl` command: an authority, and what it signs."""

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest


@dataclass(frozen=True)
class Pair:
    """A certificate and its key, in PEM files."""

    certificate: Path
    key: Path

    def replace_by(self, other: "Pair") -> None:
        """Put another pair in its place, file by file, each at once."""
        for mine, theirs in ((self.certificate, other.certificate), (self.key, other.key)):
            beside = mine.with_suffix(".new")
            shutil.copy(theirs, beside)
            beside.rename(mine)


class Authority:
    """Signs certificates that are good for a day."""

    def __init__(self, folder: Path, name: str) -> None:
        if shutil.which("openssl") is None:
            pytest.skip("the command openssl, which makes certificates, is not installed")
        self._folder = folder / name
        self._folder.mkdir(parents=True)
        self.own = Pair(self._folder / "ca.pem", self._folder / "ca.key")
        _openssl(
            *("req", "-x509", *_NEW_KEY, "-days", "1", "-subj", f"/CN={name}"),
            *("-keyout", self.own.key, "-out", self.own.certificate),
        )

    def signed(self, name: str, subject_alternatives: str = "IP:127.0.0.1,DNS:localhost") -> Pair:
        """A certificate for this machine's loopback, or for a client."""
        made = Pair(self._folder / f"{name}.pem", self._folder / f"{name}.key")
        request, extensions = self._folder / f"{name}.csr", self._folder / f"{name}.ext"
        extensions.write_text(f"subjectAltName={subject_alternatives}\n")
        _openssl("req", *_NEW_KEY, "-subj", f"/CN={name}", "-keyout", made.key, "-out", request)
        _openssl(
            *("x509", "-req", "-days", "1", "-in", request, "-extfile", extensions, "-CAcreateserial"),
            *("-CA", self.own.certificate, "-CAkey", self.own.key, "-out", made.certificate),
        )
        return made


_NEW_KEY = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")


def _openssl(*arguments: str | Path) -> None:
    subprocess.run(["openssl", *arguments], capture_output=True, check=True)
