"""What a client shows of itself: tokens, keys, certificates; and when others could read them on the way."""

import ipaddress
import ssl
from collections.abc import Sequence
from pathlib import Path

import grpc

from scorer_client._errors import InvalidRequest, invalid_field

# The schemes of gRPC's targets that never leave the machine.
_LOCAL_SCHEMES = ("unix:", "unix-abstract:", "vsock:")


def tls_credentials(
    *,
    ca: str | Path | None = None,
    certificate: str | Path | None = None,
    certificate_key: str | Path | None = None,
) -> grpc.ChannelCredentials:
    """Credentials for TLS from PEM files, for a client's `credentials`.

    Files are read once: a client that lives longer than its certificate is made anew.

    Args:
        ca: The authorities that may have signed the server's certificate; None for those that gRPC ships.
        certificate: The client's own certificate, for a server that asks for one.
        certificate_key: Its private key, without a password.

    Raises OSError for a file that cannot be read, `InvalidRequest` for one that is not what it should be.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    roots = None
    if ca is not None:
        roots = Path(ca).read_bytes()
        try:
            context.load_verify_locations(cadata=roots.decode("ascii", errors="replace"))
        except ssl.SSLError:
            raise invalid_field("ca", f"{ca} has no certificates in PEM") from None
    if certificate is None and certificate_key is None:
        return grpc.ssl_channel_credentials(roots)
    if certificate is None or certificate_key is None:
        lacking = "certificate" if certificate is None else "certificate_key"
        raise invalid_field(lacking, "is missing: a client's certificate and its key go together")
    chain, key = Path(certificate).read_bytes(), Path(certificate_key).read_bytes()
    try:
        # gRPC would find out at the first connection, and say it on standard error alone.
        context.load_cert_chain(certificate, certificate_key, password="")
    except (ssl.SSLError, ValueError):
        raise invalid_field(
            "certificate",
            f"{certificate} and {certificate_key} are not a certificate and its key, both in PEM, the key "
            "without a password",
        ) from None
    return grpc.ssl_channel_credentials(roots, key, chain)


def call_metadata(
    target: str,
    *,
    is_secure: bool,
    token: str | None,
    evaluator_key: str | None,
    allow_plaintext: bool,
) -> tuple[tuple[str, str], ...]:
    """What every call of a client carries. Raises `InvalidRequest` for what could be read on the way."""
    secrets = {"token": token, "evaluator_key": evaluator_key}
    for name, secret in secrets.items():
        if not secret:
            continue
        # Without the secret: errors are logged.
        if not (secret.isascii() and secret.isprintable()) or " " in secret:
            raise invalid_field(name, "must be printable ASCII without spaces")
        if not (is_secure or allow_plaintext or stays_on_this_machine(target)):
            raise _would_be_shown(name, target)
    metadata = []
    if token:
        metadata.append(("authorization", f"Bearer {token}"))
        if evaluator_key:
            metadata.append(("scorer-evaluator-key", evaluator_key))
    elif evaluator_key:
        metadata.append(("authorization", f"Bearer {evaluator_key}"))
    return tuple(metadata)


def stays_on_this_machine(target: str) -> bool:
    """Whether a target is loopback or a socket file. A name other than localhost may mean anything."""
    if target.startswith(_LOCAL_SCHEMES):
        return True
    for scheme in ("dns:", "ipv4:", "ipv6:"):
        if target.startswith(scheme):
            target = target.removeprefix(scheme)
            if target.startswith("//"):  # an authority, which is a name server, comes before the name
                target = target[2:].partition("/")[2]
            break
    return all(_is_loopback(address) for address in target.split(","))


def _is_loopback(address: str) -> bool:
    host = address
    if address.startswith("["):
        host = address[1:].partition("]")[0]
    elif address.count(":") == 1:
        host = address.partition(":")[0]
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def channel_options(target: str, options: Sequence[tuple[str, int | str]]) -> Sequence[tuple[str, int | str]]:
    """Options of a channel; what stays on this machine does not go through a proxy of the environment."""
    return (*options, ("grpc.enable_http_proxy", 0)) if stays_on_this_machine(target) else options


def _would_be_shown(name: str, target: str) -> InvalidRequest:
    return invalid_field(
        name,
        f"would go to {target} unencrypted, and could be read on the way: use TLS (`tls_credentials`; on the "
        "command line --ca or --tls), or allow_plaintext=True (--allow-plaintext) where the way is safe",
    )
