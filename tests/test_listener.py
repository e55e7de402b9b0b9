"""What the settings make of the RPC port: what is careless is refused with a way out, and open is meant."""

from pathlib import Path

import pytest
from certificates import Authority

from scorer_service import listener
from scorer_service.configuration import Configuration, ConfigurationError
from scorer_service.store.tokens import FILE_NAME, Role, TokenFile

LOCAL = ["127.0.0.1:0", "127.9.9.9:1", "[::1]:50051", "localhost:50051"]
REACHED = [
    "0.0.0.0:50051",
    "[::]:50051",
    "192.0.2.1:1",
    "[2001:db8::1]:1",
    "scorer:50051",
    "localhost.example:1",
]


@pytest.mark.parametrize("listen", LOCAL)
def test_loopback_may_be_plain(listen: str) -> None:
    assert listener.is_loopback(listen)
    assert listener.transport(Configuration(listen=listen)) is None


@pytest.mark.parametrize("listen", REACHED)
def test_elsewhere_plaintext_has_to_be_allowed(listen: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        listener.check(Configuration(listen=listen))
    for word in (listen, "tls_certificate", "--allow-plaintext", "127.0.0.1"):
        assert word in str(caught.value)
    assert listener.transport(Configuration(listen=listen, allow_plaintext=True)) is None


def test_tls_needs_its_files_and_they_are_looked_at(tmp_path: Path) -> None:
    pair = Authority(tmp_path, "ca").signed("server")
    whole = Configuration(listen="0.0.0.0:0", tls_certificate=pair.certificate, tls_key=pair.key)
    assert listener.transport(whole) is not None
    for wrong, message in (
        (Configuration(tls_certificate=pair.certificate), "tls_certificate is given without tls_key"),
        (Configuration(tls_key=pair.key), "tls_key is given without tls_certificate"),
        (Configuration(tls_client_ca=pair.certificate), "tls_client_ca is given without"),
        (Configuration(tls_certificate=pair.key, tls_key=pair.key), str(pair.key)),
    ):
        with pytest.raises(ConfigurationError, match=message):
            listener.check(wrong)


@pytest.mark.parametrize(
    ("access", "listen", "has_tokens", "is_open"),
    [
        ("auto", "127.0.0.1:0", False, True),
        ("auto", "127.0.0.1:0", True, False),
        ("auto", "0.0.0.0:0", False, False),
        ("auto", "0.0.0.0:0", True, False),
        ("open", "127.0.0.1:0", True, True),
        ("open", "0.0.0.0:0", True, True),
        ("tokens", "127.0.0.1:0", False, False),
        ("tokens", "0.0.0.0:0", True, False),
    ],
)
def test_a_server_is_open_on_loopback_without_tokens_or_where_it_is_told_so(
    tmp_path: Path, access: str, listen: str, has_tokens: bool, is_open: bool
) -> None:
    if has_tokens:
        file = TokenFile(tmp_path)
        token, _ = file.create(Role.OPERATOR, attempt_id=None, label="", lifetime_s=None)
        file.revoke(token.token_id)  # a server that had tokens once does not open by itself
    found = listener.tokens(Configuration(listen=listen, access=access, state_dir=tmp_path))
    assert (found is None) is is_open


@pytest.mark.parametrize(
    ("access", "listen", "word"),
    [("open", "0.0.0.0:0", "other machines"), ("tokens", "127.0.0.1:0", "scorer token create")],
)
def test_what_an_operator_may_not_have_meant_is_a_warning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, access: str, listen: str, word: str
) -> None:
    listener.tokens(Configuration(listen=listen, access=access, state_dir=tmp_path))
    assert [word in record.getMessage() for record in caplog.records if record.levelname == "WARNING"] == [
        True
    ]


def test_tokens_that_cannot_be_read_keep_a_server_from_starting(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_text("{")
    with pytest.raises(ConfigurationError, match=FILE_NAME):
        listener.tokens(Configuration(state_dir=tmp_path))
