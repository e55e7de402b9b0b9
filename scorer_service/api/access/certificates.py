"""The server's side of TLS, from files that may be replaced while it runs."""

import logging
import os
import ssl
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import grpc

log = logging.getLogger(__name__)


class CertificateError(Exception):
    """The files do not make a server's certificate. The message names them."""


@dataclass(frozen=True)
class TlsFiles:
    """PEM files."""

    certificate: Path
    """The server's certificate, and those between it and its root."""
    key: Path
    """Its private key, not encrypted."""
    client_ca: Path | None = None
    """Where it is given, clients must show a certificate that one of these has signed."""

    def paths(self) -> Sequence[Path]:
        """All of them."""
        return [path for path in (self.certificate, self.key, self.client_ca) if path is not None]


@dataclass(frozen=True)
class _Loaded:
    signature: Sequence[tuple[int, ...]]
    configuration: grpc.ServerCertificateConfiguration


class RotatedCredentials:
    """Credentials that follow their files.

    gRPC asks for them at each handshake, so that a new connection gets the new certificate and those that are
    open go on. A file that is replaced by halves is not taken: the last pair that was whole stays.
    """

    def __init__(self, files: TlsFiles) -> None:
        """Raises CertificateError."""
        self._files = files
        self._loaded = _load(files)
        self._complained_of: Sequence[tuple[int, ...]] | str | None = None

    def server_credentials(self) -> grpc.ServerCredentials:
        """For `add_secure_port`."""
        return grpc.dynamic_ssl_server_credentials(
            self._loaded.configuration,
            self._fetch,  # type: ignore[arg-type] # None says that nothing has changed
            self._files.client_ca is not None,
        )

    def _fetch(self) -> grpc.ServerCertificateConfiguration | None:
        """What the next handshake uses; None for what the last one did. On a thread of gRPC."""
        signature: Sequence[tuple[int, ...]] | str | None = None
        try:
            signature = _signature(self._files)
            if signature == self._loaded.signature:
                self._complained_of = None
                return None
            self._loaded = _load(self._files)
        except (OSError, CertificateError) as error:
            # Once for each state of the files, not for each connection.
            if self._complained_of != (signature or str(error)):
                self._complained_of = signature or str(error)
                log.error("going on with the old certificate: %s", error)
            return None
        log.info("took up the new certificate of %s", self._files.certificate)
        return self._loaded.configuration


def _load(files: TlsFiles) -> _Loaded:
    try:
        signature = _signature(files)
        certificate, key = files.certificate.read_bytes(), files.key.read_bytes()
        client_ca = None if files.client_ca is None else files.client_ca.read_bytes()
    except OSError as error:
        raise CertificateError(f"cannot read {error.filename}: {error.strerror}") from None
    _check(files, certificate, key, client_ca)
    return _Loaded(signature, grpc.ssl_server_certificate_configuration([(key, certificate)], client_ca))


def _check(files: TlsFiles, certificate: bytes, key: bytes, client_ca: bytes | None) -> None:
    """gRPC would take any bytes, and fail at each handshake with a word on standard error."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    chain = os.memfd_create("certificate")  # the very bytes, which the files need not hold any more
    try:
        os.write(chain, certificate + b"\n" + key)
        # Without a password OpenSSL would ask for one on the terminal.
        context.load_cert_chain(f"/proc/self/fd/{chain}", password="")
    except (ssl.SSLError, ValueError) as error:
        raise CertificateError(
            f"{files.certificate} and {files.key} are not a certificate and its key, both in PEM, the key "
            f"without a password ({error})"
        ) from None
    finally:
        os.close(chain)
    if client_ca is None:
        return
    try:
        context.load_verify_locations(cadata=client_ca.decode("ascii", errors="replace"))
    except ssl.SSLError as error:
        raise CertificateError(f"{files.client_ca} has no certificates in PEM ({error})") from None


def _signature(files: TlsFiles) -> Sequence[tuple[int, ...]]:
    """Changes with the files. Symbolic links are followed: Kubernetes replaces secrets by moving one."""
    found = [path.stat() for path in files.paths()]
    return [(one.st_dev, one.st_ino, one.st_size, one.st_mtime_ns) for one in found]
