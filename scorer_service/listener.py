"""What the settings make of the RPC port: plaintext or TLS, open or with tokens. Refuses what is careless."""

import ipaddress
import logging

from scorer_service.api.access.certificates import CertificateError, RotatedCredentials, TlsFiles
from scorer_service.configuration import Configuration, ConfigurationError, host_and_port
from scorer_service.store.tokens import TokenFile, TokensUnreadable

log = logging.getLogger(__name__)


def check(configuration: Configuration) -> None:
    """Raises ConfigurationError where the port would be careless, or its files cannot be used."""
    transport(configuration)


def transport(configuration: Configuration) -> RotatedCredentials | None:
    """The credentials of the port; None for plaintext. Raises ConfigurationError."""
    certificate, key = configuration.tls_certificate, configuration.tls_key
    if certificate is None and key is None:
        if configuration.tls_client_ca is not None:
            raise ConfigurationError(
                "tls_client_ca is given without tls_certificate and tls_key: certificates of clients need TLS"
            )
        if not is_loopback(configuration.listen) and not configuration.allow_plaintext:
            raise ConfigurationError(
                f"listen is {configuration.listen}, which other machines may reach, and there is no TLS: "
                "submissions and tokens could be read on the way. Give tls_certificate and tls_key; or "
                "listen on 127.0.0.1; or set allow_plaintext (--allow-plaintext) where something in front of "
                "the server does TLS, or the network is yours alone"
            )
        return None
    if certificate is None or key is None:
        given, lacking = "tls_certificate", "tls_key"
        if certificate is None:
            given, lacking = lacking, given
        raise ConfigurationError(f"{given} is given without {lacking}: TLS needs both")
    try:
        return RotatedCredentials(TlsFiles(certificate, key, configuration.tls_client_ca))
    except CertificateError as error:
        raise ConfigurationError(f"tls_certificate, tls_key, tls_client_ca: {error}") from None


def tokens(configuration: Configuration) -> TokenFile | None:
    """The tokens that callers are asked for; None for an open server. Blocks. Raises ConfigurationError."""
    file = TokenFile(configuration.state_dir)
    try:
        known = file.tokens()
    except TokensUnreadable as error:
        raise ConfigurationError(str(error)) from None
    reached = "loopback" if is_loopback(configuration.listen) else "other machines"
    if configuration.access == "open" or (
        configuration.access == "auto" and reached == "loopback" and not known
    ):
        level = logging.INFO if reached == "loopback" else logging.WARNING
        log.log(level, "access: open to everybody who reaches %s, from %s", configuration.listen, reached)
        return None
    log.info("access: by token")
    if not known:
        log.warning("access: there is no token yet; `scorer token create` makes one")
    return file


def is_loopback(address: str) -> bool:
    """Whether only this machine reaches an address. A name other than localhost may mean anything."""
    host, _ = host_and_port(address)
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
