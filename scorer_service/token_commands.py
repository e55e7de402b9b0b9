"""The commands `scorer token ...`: who may call a server, changed while it runs."""

import argparse
import datetime
import json
import sqlite3
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from scorer_service import configuration
from scorer_service.configuration import ConfigurationError
from scorer_service.store.attempts import attempt_exists
from scorer_service.store.tokens import LABEL_LIMIT, Role, Token, TokenFile, TokenNotFound, TokensUnreadable

FAILURES: tuple[type[Exception], ...] = (TokenNotFound, TokensUnreadable, sqlite3.Error)
"""What these commands raise when they cannot do their work, with the way out as message."""

DAYS_DEFAULT = 90.0
DAYS_LIMIT = 36_500.0
_DAY_S = 86_400.0


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add `token` and its commands."""
    actions = commands.add_parser(
        "token", help="access tokens: make, list, renew, revoke; a running server takes changes up at once"
    ).add_subparsers(required=True, metavar="COMMAND")
    create = _action(actions, "create", _create, "make a token, which is printed once")
    create.add_argument(
        "--role",
        required=True,
        choices=[role.value for role in Role],
        help="agent: score within its attempt; evaluator: create attempts and read everything of them; "
        "operator: see and cancel every job",
    )
    create.add_argument("--attempt", metavar="ID", help="the one attempt of an agent")
    create.add_argument("--label", default="", type=_label, help="who holds it, for `list`")
    _days_option(create)
    _action(actions, "list", _list, "show all tokens, never their secrets").add_argument(
        "--json", action="store_true", help="print a JSON document"
    )
    renew = _action(actions, "renew", _renew, "give a token a new secret; what it owns stays its own")
    renew.add_argument("token", metavar="TOKEN", help="its id, as `list` shows it")
    _days_option(renew)
    revoke = _action(actions, "revoke", _revoke, "let the holder of a token in no more")
    revoke.add_argument("token", metavar="TOKEN", help="its id, as `list` shows it")


def _action(
    actions: "argparse._SubParsersAction[argparse.ArgumentParser]",
    name: str,
    run: Callable[[argparse.Namespace], int],
    help_text: str,
) -> argparse.ArgumentParser:
    parser = actions.add_parser(name, help=help_text)
    parser.add_argument(
        "--config", type=Path, help=f"settings file (default: {configuration.DEFAULT_FILE}, if there is one)"
    )
    parser.add_argument("--state-dir", metavar="PATH", help="the server's (default: as for `scorer serve`)")
    parser.set_defaults(run=run)
    return parser


def _days_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--days",
        type=_days,
        default=DAYS_DEFAULT,
        metavar="N",
        help="days until it expires; 0: never (default: %(default)g)",
    )


def _days(text: str) -> float:
    try:
        days = float(text)
    except ValueError:
        days = -1.0
    if not 0 <= days <= DAYS_LIMIT:
        raise argparse.ArgumentTypeError(f"a number from 0 to {DAYS_LIMIT:g}, not {text!r}")
    return days


def _label(text: str) -> str:
    if len(text) > LABEL_LIMIT or not text.isprintable():
        raise argparse.ArgumentTypeError(f"at most {LABEL_LIMIT} printable characters, not {text[:100]!r}")
    return text


def _lifetime_s(options: argparse.Namespace) -> float | None:
    return options.days * _DAY_S if options.days else None


def _settings(options: argparse.Namespace) -> configuration.Configuration:
    return configuration.load({"state_dir": options.state_dir}, options.config)


def _create(options: argparse.Namespace) -> int:
    settings = _settings(options)
    role = Role(options.role)
    if role is Role.AGENT and options.attempt is None:
        raise ConfigurationError(
            "--attempt is missing: an agent scores within one attempt. An evaluator creates it by "
            "`scorer-client attempt create`, which prints a token for its agent too"
        )
    if role is not Role.AGENT and options.attempt is not None:
        raise ConfigurationError(f"--attempt is for the role agent, not for {role.value}: leave it out")
    if options.attempt is not None and not attempt_exists(settings.state_dir, options.attempt):
        raise ConfigurationError(
            f"--attempt: no attempt {options.attempt[:80]!r} in {settings.state_dir}: create it first, or "
            "name the server's folder by --state-dir"
        )
    file = TokenFile(settings.state_dir)
    is_first = not file.tokens()
    token, text = file.create(
        role, attempt_id=options.attempt, label=options.label, lifetime_s=_lifetime_s(options)
    )
    _print_secret(token, text)
    if is_first and settings.access == "auto":
        _say(
            "This is the first token here. A server on loopback that is running is open still: start it "
            "again, and it asks for tokens"
        )
    return 0


def _renew(options: argparse.Namespace) -> int:
    token, text = TokenFile(_settings(options).state_dir).renew(
        options.token, lifetime_s=_lifetime_s(options)
    )
    _print_secret(token, text)
    return 0


def _revoke(options: argparse.Namespace) -> int:
    token = TokenFile(_settings(options).state_dir).revoke(options.token)
    _say(f"{token.token_id} lets nobody in any more; calls that it began go on to their end")
    return 0


def _list(options: argparse.Namespace) -> int:
    tokens = TokenFile(_settings(options).state_dir).tokens()
    now = time.time()
    if options.json:
        print(json.dumps([_as_json(token, now) for token in tokens], indent=2))
    elif tokens:
        print(_table(tokens, now))
    else:
        print("no tokens yet: `scorer token create` makes one")
    return 0


def _print_secret(token: Token, text: str) -> None:
    """The secret alone on standard output, so that it can be sent into a file."""
    print(text)
    expiry = "never expires" if token.expires_at is None else f"expires {_time(token.expires_at)}"
    _say(f"token {token.token_id} for {token.role.value}, {expiry}. Keep it: it is not shown again")


def _say(text: str) -> None:
    print(text, file=sys.stderr)


def _as_json(token: Token, now: float) -> dict[str, str | None]:
    return {
        "token": token.token_id,
        "role": token.role.value,
        "state": token.state(now),
        "attempt": token.attempt_id,
        "label": token.label,
        "created": _time(token.created_at),
        "expires": None if token.expires_at is None else _time(token.expires_at),
        "revoked": None if token.revoked_at is None else _time(token.revoked_at),
    }


def _table(tokens: Sequence[Token], now: float) -> str:
    rows = [("token", "role", "state", "created", "expires", "attempt", "label")]
    rows += [
        (
            token.token_id,
            token.role.value,
            token.state(now),
            _time(token.created_at),
            "never" if token.expires_at is None else _time(token.expires_at),
            token.attempt_id or "-",
            token.label,
        )
        for token in tokens
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )


def _time(seconds: float) -> str:
    return datetime.datetime.fromtimestamp(seconds, datetime.UTC).isoformat(sep=" ", timespec="seconds")
