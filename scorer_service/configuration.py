"""What the operator sets: options beat scorer.toml, which beats SCORER_* variables, which beat defaults."""

import argparse
import dataclasses
import os
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

PROFILES = ("embedded", "paper")
ACCESS = ("auto", "open", "tokens")
SANDBOXES = ("auto", "native", "docker")
ISOLATION_MECHANISMS = ("cgroups", "landlock", "users")
LOG_LEVELS = ("debug", "info", "warning", "error")
LOG_FORMATS = ("text", "json")
DEFAULT_FILE = "scorer.toml"
VALUE_SHOWN_LIMIT = 100
"""characters of a wrong value that are repeated to the user"""


class ConfigurationError(Exception):
    """A setting is wrong. The message names it, its source and what is right."""


def _default_state_dir() -> Path:
    base = Path(os.environ.get("XDG_STATE_HOME", ""))
    if base.is_absolute():  # a relative one is invalid, by the XDG Base Directory Specification
        return base / "scorer"
    try:
        return Path.home() / ".local" / "state" / "scorer"
    except RuntimeError:  # a user that exists as a number only, as in some containers
        return Path("/var/lib/scorer")


@dataclass(frozen=True)
class Configuration:
    """The settings of a server. Every field is an option, a key of scorer.toml and a variable."""

    profile: str = field(default="embedded", metadata={"choices": PROFILES})
    """which data, limits and anchors: "embedded" ships with the package, "paper" has the published ones"""
    environments: str = "all"
    """environments to serve, separated by commas, or all"""
    listen: str = "127.0.0.1:50051"
    """address of the RPCs, HOST:PORT (port 0: any free one)"""
    access: str = field(default="auto", metadata={"choices": ACCESS})
    """who may call: "tokens", or "open" to all; "auto": open on loopback as long as no token was ever made"""
    tls_certificate: Path | None = None
    """PEM file of the server's certificate chain, taken up anew when it is replaced; none: plaintext"""
    tls_key: Path | None = None
    """PEM file of its private key"""
    tls_client_ca: Path | None = None
    """PEM file of the authorities whose certificates clients must show; none: clients show none"""
    allow_plaintext: bool = False
    """true: listen without TLS where other machines reach the server"""
    metrics_listen: str = "127.0.0.1:9464"
    """address of /metrics and /healthz, HOST:PORT"""
    state_dir: Path = field(default_factory=_default_state_dir)
    """folder of the queue, the scores, the artifacts and the caches"""
    sandbox: str = field(default="auto", metadata={"choices": SANDBOXES})
    """what makes sandboxes: "native", "docker" (an engine on this machine); "auto": native where it works"""
    require_isolation: str = field(default="none", metadata={"names": ISOLATION_MECHANISMS})
    """what sandboxes must be isolated by for the server to start, separated by commas, or all, or none"""
    slots: int = field(default=0, metadata={"minimum": 0, "maximum": 4096})
    """programs that run at once; 0 means one a core"""
    concurrent_jobs: int = field(default=2, metadata={"minimum": 1, "maximum": 1024})
    """submissions that are judged at once; they share the slots, so that none is idle while work waits"""
    queue_limit: int = field(default=256, metadata={"minimum": 1, "maximum": 1_000_000})
    """submissions that may wait for one environment; one more is refused"""
    client_queue_limit: int = field(default=128, metadata={"minimum": 1, "maximum": 1_000_000})
    """submissions of one client (attempt, else token, else address) that may wait for one environment"""
    scorings_per_hour: int = field(default=0, metadata={"minimum": 0, "maximum": 1_000_000})
    """submissions of one client that are accepted within any hour; 0: no limit"""
    attempt_budget: int = field(default=0, metadata={"minimum": 0, "maximum": 1_000_000})
    """scorings of an attempt that was created without a budget of its own; 0: no limit"""
    drain_grace_s: float = field(default=30.0, metadata={"minimum": 0, "maximum": 86_400})
    """seconds that running submissions are given to end on SIGTERM; then they go back to the queue"""
    retention_days: float = field(default=30.0, metadata={"minimum": 0, "maximum": 36_500})
    """days after which results that belong to no attempt are deleted"""
    artifact_limit_mib: int = field(default=4096, metadata={"minimum": 1, "maximum": 1 << 20})
    """largest artifact"""
    artifact_quota_mib: int = field(default=20_480, metadata={"minimum": 1, "maximum": 1 << 30})
    """room for all artifacts"""
    artifact_days: float = field(default=30.0, metadata={"minimum": 0, "maximum": 36_500})
    """days after which an artifact that nobody used is deleted, unless a job needs it; 0: never"""
    disk_reserve_mib: int = field(default=1024, metadata={"minimum": 0, "maximum": 1 << 30})
    """room on the disk of state_dir that is kept for accepted work: with less, submissions are refused"""
    device: str = "auto"
    """what submissions are measured on: cpu, cuda, cuda:1, or auto for a GPU where there is one"""
    device_selftest_minutes: float = field(default=60.0, metadata={"minimum": 0, "maximum": 525_600})
    """minutes between self-tests of the device, which is taken out of use when it fails; 0: at start only"""
    torch_python: Path | None = None
    """python with torch and triton, in an environment without the service; none: that of the checkout"""
    canary_minutes: float = field(default=60.0, metadata={"minimum": 0, "maximum": 525_600})
    """minutes between scorings of the reference solutions, by which drift is seen; 0: never"""
    hidden_windows: int = field(default=0, metadata={"minimum": 0, "maximum": 1_000_000})
    """windows of hidden text that models are judged on; 0: all. Fewer are quick, for trials; errors grow"""
    problem_set: Path | None = None
    """problems of rust_codecontests in place of the profile's own: a JSON Lines file"""
    log_level: str = field(default="info", metadata={"choices": LOG_LEVELS})
    """least severe messages that are logged"""
    log_format: str = field(default="text", metadata={"choices": LOG_FORMATS})
    """how lines of the log look: "text" for people, "json" for collectors, an object a line"""
    trace_endpoint: str = ""
    """where traces go, by OTLP over gRPC: http://HOST:PORT, or https with TLS; none: no traces"""


GROUPS: Mapping[str, str] = {
    "profile": "what is served",
    "listen": "who may call",
    "metrics_listen": "where things are",
    "sandbox": "sandboxes",
    "concurrent_jobs": "queue",
    "drain_grace_s": "end and clean-up",
    "device": "measuring and judging",
    "log_level": "logs and traces",
}
"""Titles in the help, each with the setting that begins its group."""

# Without a value, the option of a switch turns it on.
_LONE_OPTION: Mapping[Any, Any] = {bool: {"nargs": "?", "const": "true"}}

ADDRESS = re.compile(r"(?P<host>\[[0-9A-Fa-f:.]+\]|[^:\s]+):(?P<port>[0-9]{1,5})\Z")


NAMES = re.compile(r"[a-z0-9_]+(,[a-z0-9_]+)*\Z")
ENDPOINT = re.compile(r"(https?://(\[[0-9A-Fa-f:.]+\]|[^:/?#@\s]+):[0-9]{1,5}/?)?\Z")
DEVICE = re.compile(r"(auto|cpu|cuda(:[0-9]{1,3})?)\Z")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add an option for each setting, and `--config`."""
    parser.add_argument(
        "--config", type=Path, help=f"settings file (default: {DEFAULT_FILE}, where there is one)"
    )
    group: argparse._ActionsContainer = parser
    for setting in dataclasses.fields(Configuration):
        if setting.name in GROUPS:
            group = parser.add_argument_group(GROUPS[setting.name])
        default = getattr(Configuration(), setting.name)
        shown = "none" if default in (None, "") else str(default).replace("%", "%%")
        group.add_argument(
            f"--{setting.name.replace('_', '-')}",
            dest=setting.name,
            metavar=_metavar(setting),
            help=f"{_HELP[setting.name]} (default: {shown})",
            **_LONE_OPTION.get(setting.type, {}),
        )


def load(
    options: Mapping[str, Any], file: Path | None = None, environment: Mapping[str, str] = os.environ
) -> Configuration:
    """Put the sources together. `options` has what was given, as text. Raises ConfigurationError."""
    settings = {setting.name: setting for setting in dataclasses.fields(Configuration)}
    values: dict[str, Any] = {}
    for name in environment:
        if not name.startswith("SCORER_"):
            continue
        key = name.removeprefix("SCORER_").lower()
        # Variables of the client and of tests share the prefix, so unknown ones are not refused.
        if key in settings:
            values[key] = _parse(settings[key], environment[name], f"variable {name}")
    for key, value in _read_file(file).items():
        if key not in settings:
            raise ConfigurationError(
                f"{file or DEFAULT_FILE}: no setting {key!r}: there are {', '.join(sorted(settings))}"
            )
        values[key] = _parse(settings[key], value, f"{key} in {file or DEFAULT_FILE}")
    for key, value in options.items():
        if key in settings and value is not None:
            values[key] = _parse(settings[key], value, f"--{key.replace('_', '-')}")
    return Configuration(**values)


def host_and_port(address: str) -> tuple[str, int]:
    """The parts of an address that was checked when it was loaded."""
    match = ADDRESS.match(address)
    if match is None:
        raise ConfigurationError(f"not an address: {address!r}")
    return match["host"].strip("[]"), int(match["port"])


def _read_file(file: Path | None) -> Mapping[str, Any]:
    path = file or Path(DEFAULT_FILE)
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        if file is None:
            return {}
        raise ConfigurationError(f"no file {file}") from None
    except (OSError, ValueError) as error:
        raise ConfigurationError(f"cannot read {path}: {error}") from None


def _parse(setting: dataclasses.Field[Any], value: Any, source: str) -> Any:
    """A value of a setting from text or TOML. Raises ConfigurationError."""
    if setting.type in (Path, Path | None):
        try:
            if not isinstance(value, str) or not value or "\0" in value:
                raise ValueError
            return Path(value).expanduser().absolute()
        except (ValueError, RuntimeError):  # expanduser: there is no such user
            raise ConfigurationError(f"{source} must be a path, not {_shown(value)}") from None
    if setting.type is bool:
        return _parse_bool(value, source)
    if setting.type in (int, float):
        return _parse_number(setting, value, source)
    if not isinstance(value, str):
        raise ConfigurationError(f"{source} must be text, not {_shown(value)}")
    choices = setting.metadata.get("choices")
    if choices and value not in choices:
        raise ConfigurationError(f"{source} must be one of {', '.join(choices)}, not {_shown(value)}")
    names = setting.metadata.get("names")
    if names and value not in ("all", "none") and not set(value.split(",")) <= set(names):
        raise ConfigurationError(
            f"{source} must be all, none, or some of {', '.join(names)} (separated by commas), "
            f"not {_shown(value)}"
        )
    if setting.name == "environments" and not NAMES.match(value):
        raise ConfigurationError(f"{source} must be all, or names separated by commas, not {_shown(value)}")
    if setting.name == "trace_endpoint" and not ENDPOINT.match(value):
        raise ConfigurationError(
            f"{source} must be http://HOST:PORT or https://HOST:PORT, or empty, not {_shown(value)}"
        )
    if setting.name == "device" and not DEVICE.match(value):
        raise ConfigurationError(f"{source} must be auto, cpu, cuda or cuda:N, not {_shown(value)}")
    if setting.name.endswith("listen"):
        match = ADDRESS.match(value)
        if match is None or int(match["port"]) > 65_535:
            raise ConfigurationError(
                f"{source} must be HOST:PORT, as in 127.0.0.1:50051, not {_shown(value)}"
            )
    return value


def _parse_bool(value: Any, source: str) -> bool:
    if isinstance(value, bool):
        return value
    if value in ("true", "false"):
        return bool(value == "true")
    raise ConfigurationError(f"{source} must be true or false, not {_shown(value)}")


def _parse_number(setting: dataclasses.Field[Any], value: Any, source: str) -> int | float:
    kind: type[int] | type[float] = setting.type  # type: ignore[assignment]
    minimum, maximum = setting.metadata["minimum"], setting.metadata["maximum"]
    allowed = f"a{' whole' if kind is int else ''} number from {minimum} to {maximum}"
    try:
        if isinstance(value, bool) or not isinstance(value, str | int | kind):
            raise ValueError
        number = kind(value)
    except (ValueError, OverflowError):
        raise ConfigurationError(f"{source} must be {allowed}, not {_shown(value)}") from None
    if not minimum <= number <= maximum:
        raise ConfigurationError(f"{source} must be {allowed}, not {_shown(value)}")
    return number


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= VALUE_SHOWN_LIMIT else text[:VALUE_SHOWN_LIMIT] + "…"


def _metavar(setting: dataclasses.Field[Any]) -> str:
    if choices := setting.metadata.get("choices"):
        return "|".join(choices)
    if setting.name.endswith("listen"):
        return "HOST:PORT"
    if setting.name.endswith("endpoint"):
        return "URL"
    return {int: "N", float: "N", bool: "true|false"}.get(setting.type, "PATH")  # type: ignore[arg-type]


def _docstrings(source: Sequence[str]) -> dict[str, str]:
    """The docstring under each field: Python does not keep them, and one text serves help and readers."""
    found: dict[str, str] = {}
    name = ""
    for line in source:
        if match := re.match(r"    (\w+): ", line):
            name = match[1]
        elif match := re.match(r'    """(.*)"""$', line):
            found.setdefault(name, match[1])
    return found


def _help_texts() -> dict[str, str]:
    import inspect

    return _docstrings(inspect.getsource(Configuration).splitlines())


_HELP = _help_texts()
