"""Settings: which source wins, and that a bad value names its source, itself and what is right."""

import argparse
import dataclasses
import re
from pathlib import Path
from typing import Any

import pytest

from scorer_service import configuration
from scorer_service.configuration import Configuration, ConfigurationError, host_and_port, load

SETTINGS = [setting.name for setting in dataclasses.fields(Configuration)]

# For each setting: a text and what it means.
GOOD = {
    "profile": ("paper", "paper"),
    "environments": ("triton_cumsum,rust_codecontests", "triton_cumsum,rust_codecontests"),
    "listen": ("0.0.0.0:0", "0.0.0.0:0"),
    "access": ("tokens", "tokens"),
    "tls_certificate": ("/srv/server.pem", Path("/srv/server.pem")),
    "tls_key": ("/srv/server.key", Path("/srv/server.key")),
    "tls_client_ca": ("/srv/clients.pem", Path("/srv/clients.pem")),
    "allow_plaintext": ("true", True),
    "metrics_listen": ("[::1]:65535", "[::1]:65535"),
    "state_dir": ("/srv/state", Path("/srv/state")),
    "sandbox": ("native", "native"),
    "require_isolation": ("landlock,cgroups", "landlock,cgroups"),
    "slots": ("4096", 4096),
    "concurrent_jobs": ("1", 1),
    "queue_limit": ("1000000", 1_000_000),
    "client_queue_limit": ("1", 1),
    "scorings_per_hour": ("1000000", 1_000_000),
    "attempt_budget": ("50", 50),
    "drain_grace_s": ("0.5", 0.5),
    "retention_days": ("0", 0.0),
    "artifact_limit_mib": ("1", 1),
    "artifact_quota_mib": (str(1 << 30), 1 << 30),
    "artifact_days": ("0.5", 0.5),
    "disk_reserve_mib": ("0", 0),
    "device": ("cuda:1", "cuda:1"),
    "device_selftest_minutes": ("0", 0.0),
    "torch_python": ("/srv/torch/bin/python", Path("/srv/torch/bin/python")),
    "canary_minutes": ("0", 0.0),
    "hidden_windows": ("64", 64),
    "problem_set": ("/srv/problems.jsonl", Path("/srv/problems.jsonl")),
    "log_level": ("debug", "debug"),
    "log_format": ("json", "json"),
    "trace_endpoint": ("https://[::1]:4317", "https://[::1]:4317"),
}

# For each setting: values that are wrong as text, and a part of what is right.
BAD = {
    "profile": (["", "Paper", "embedded "], "embedded, paper"),
    "environments": (["", "a b", "a,,b", ","], "names separated by commas"),
    "listen": (["", ":1", "host", "host:", "host:65536", "a b:1", "::1:5", "h:1\n", "h:\u0661"], "HOST:PORT"),
    "access": (["", "token", "OPEN"], "auto, open, tokens"),
    "tls_certificate": (["", "a\0b"], "a path"),
    "tls_key": ([""], "a path"),
    "tls_client_ca": ([""], "a path"),
    "allow_plaintext": (["", "True", "yes", "1"], "true or false"),
    "metrics_listen": (["9464", "[::1]", "host:-1"], "HOST:PORT"),
    "state_dir": (["", "a\0b", "~no-such-user-here/x"], "a path"),
    "sandbox": (["", "podman", "Native"], "native"),
    "require_isolation": (["", "Landlock", "cgroups,", "all,users", "seccomp"], "cgroups, landlock, users"),
    "slots": (["-1", "4097", "1.5", "many", "", "1e3", "9" * 5000], "a whole number from 0 to 4096"),
    "concurrent_jobs": (["0", "1025"], "a whole number from 1 to 1024"),
    "queue_limit": (["0", "1000001"], "a whole number from 1 to 1000000"),
    "client_queue_limit": (["0", "1000001"], "a whole number from 1 to 1000000"),
    "scorings_per_hour": (["-1", "1000001"], "a whole number from 0 to 1000000"),
    "attempt_budget": (["-1", "1.5"], "a whole number from 0 to 1000000"),
    "drain_grace_s": (["-0.1", "86400.1", "nan", "inf", "-inf", "x"], "a number from 0 to 86400"),
    "retention_days": (["-1", "36501"], "a number from 0 to 36500"),
    "artifact_limit_mib": (["0", str((1 << 20) + 1)], "a whole number from 1 to 1048576"),
    "artifact_quota_mib": (["0", str((1 << 30) + 1)], "a whole number from 1 to 1073741824"),
    "artifact_days": (["-1", "36501"], "a number from 0 to 36500"),
    "disk_reserve_mib": (["-1", "1.5"], "a whole number from 0 to 1073741824"),
    "device": (["", "gpu", "cuda:", "cuda:x", "CPU"], "auto, cpu, cuda or cuda:N"),
    "device_selftest_minutes": (["-1", "525601"], "a number from 0 to 525600"),
    "torch_python": ([""], "a path"),
    "canary_minutes": (["-1", "525601"], "a number from 0 to 525600"),
    "hidden_windows": (["-1", "1000001"], "a whole number from 0 to 1000000"),
    "problem_set": ([""], "a path"),
    "log_level": (["", "trace", "INFO"], "debug, info, warning, error"),
    "log_format": (["", "JSON", "logfmt"], "text, json"),
    "trace_endpoint": (
        ["collector:4317", "http://collector", "ftp://a:1", "http://u:p@a:1"],
        "http://HOST:PORT",
    ),
}

BAD_TEXTS = [(name, value, right) for name, (values, right) in BAD.items() for value in values]


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def variable(name: str) -> str:
    return f"SCORER_{name.upper()}"


def write(text: str, name: str = "scorer.toml") -> Path:
    path = Path(name)
    path.write_text(text, encoding="utf-8")
    return path


def parsed(*arguments: str) -> dict[str, Any]:
    parser = argparse.ArgumentParser()
    configuration.add_options(parser)
    return vars(parser.parse_args(arguments))


def test_the_tables_of_this_test_have_every_setting() -> None:
    assert list(GOOD) == list(BAD) == SETTINGS


def test_without_any_source_there_are_defaults() -> None:
    assert load({}, environment={}) == Configuration()
    assert Configuration().listen == "127.0.0.1:50051"
    assert Configuration().profile == "embedded"


@pytest.mark.parametrize("name", SETTINGS)
def test_each_setting_is_an_option_a_key_and_a_variable(name: str) -> None:
    text, meaning = GOOD[name]
    from_option = load(parsed(option(name), text), environment={})
    from_variable = load({}, environment={variable(name): text})
    write(f"{name} = {text!r}")
    from_file = load({}, environment={})
    assert from_option == from_variable == from_file
    assert getattr(from_file, name) == meaning
    assert from_file != Configuration()


def test_options_beat_the_file_which_beats_variables_which_beat_defaults() -> None:
    environment = {variable(name): "1" for name in ("slots", "concurrent_jobs", "queue_limit")}
    write("slots = 2\nconcurrent_jobs = 2")
    found = load(parsed("--slots", "3"), environment=environment)
    assert (found.slots, found.concurrent_jobs, found.queue_limit) == (3, 2, 1)
    assert found.artifact_limit_mib == Configuration().artifact_limit_mib


@pytest.mark.parametrize(("name", "value", "right"), BAD_TEXTS)
def test_a_bad_option_names_itself_the_value_and_what_is_right(name: str, value: str, right: str) -> None:
    message = refused({name: value}, {})
    assert message.startswith(f"{option(name)} must be ")
    assert right in message
    assert repr(value)[:50] in message
    assert len(message) < 500


@pytest.mark.parametrize(("name", "value", "right"), BAD_TEXTS)
def test_a_bad_variable_is_named(name: str, value: str, right: str) -> None:
    message = refused({}, {variable(name): value})
    assert message.startswith(f"variable {variable(name)} must be ")
    assert right in message


@pytest.mark.parametrize(
    ("line", "right"),
    [
        ("slots = true", "a whole number"),
        ("slots = 1.0", "a whole number"),
        ("drain_grace_s = false", "a number"),
        ("drain_grace_s = nan", "a number"),
        (f"drain_grace_s = 1{'0' * 400}", "a number"),
        ("slots = [1]", "a whole number"),
        ("retention_days = 2020-01-01", "a number"),
        ("state_dir = 3", "a path"),
        ("state_dir = {}", "a path"),
        ("listen = 50051", "text"),
        ("allow_plaintext = 1", "true or false"),
        ("profile = true", "text"),
        ("log_level = ['info']", "text"),
    ],
)
def test_a_bad_value_in_the_file_names_key_and_file(line: str, right: str) -> None:
    write(line)
    message = refused({}, {})
    assert message.startswith(f"{line.split()[0]} in scorer.toml must be {right}")


def refused(options: dict[str, Any], environment: dict[str, str], file: Path | None = None) -> str:
    with pytest.raises(ConfigurationError) as caught:
        load(options, file, environment)
    return str(caught.value)


def test_numbers_in_the_file_are_numbers() -> None:
    write("slots = 3\ndrain_grace_s = 2\nretention_days = 1.5")
    found = load({}, environment={})
    assert (found.slots, found.drain_grace_s, found.retention_days) == (3, 2.0, 1.5)
    assert isinstance(found.drain_grace_s, float)


def test_a_switch_is_true_or_false_in_the_file_and_on_without_a_value_as_an_option() -> None:
    write("allow_plaintext = true")
    assert load({}, environment={}).allow_plaintext
    assert not load(parsed("--allow-plaintext", "false"), environment={}).allow_plaintext
    write("allow_plaintext = false")
    assert not load({}, environment={"SCORER_ALLOW_PLAINTEXT": "true"}).allow_plaintext
    assert load(parsed("--allow-plaintext"), environment={}).allow_plaintext


def test_an_unknown_key_is_refused_with_those_there_are() -> None:
    write("slots = 3\nslot = 4")
    message = refused({}, {})
    assert "scorer.toml" in message
    assert "'slot'" in message
    assert all(name in message for name in SETTINGS)


def test_a_table_is_an_unknown_key() -> None:
    write("[server]\nslots = 3")
    assert "'server'" in refused({}, {})


def test_unknown_variables_are_ignored() -> None:
    environment = {"SCORER_ADDRESS": "x", "SCORER_": "x", "SCORER_CONFIG": "nowhere", "OTHER_SLOTS": "7"}
    assert load({}, environment=environment) == Configuration()


def test_another_file_can_be_named() -> None:
    write("slots = 1")
    other = write("slots = 2", "other.toml")
    assert load({}, other, {}).slots == 2
    write("slot = 2", "other.toml")
    assert "other.toml" in refused({}, {}, other)


def test_a_named_file_must_be_there_and_be_toml() -> None:
    assert "nowhere.toml" in refused({}, {}, Path("nowhere.toml"))
    assert "scorer.toml" in refused({}, {}, write("slots = "))
    write(f"slots = {'9' * 5000}")
    assert "scorer.toml" in refused({}, {})
    Path("scorer.toml").write_bytes(b"profile = '\xff'")
    assert "scorer.toml" in refused({}, {})
    Path("folder").mkdir()
    assert "folder" in refused({}, {}, Path("folder"))


def test_paths_are_absolute_and_know_the_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/of-a-test")
    found = load({"state_dir": "~/state", "problem_set": "problems.jsonl"}, environment={})
    assert found.state_dir == Path("/home/of-a-test/state")
    assert found.problem_set == Path.cwd() / "problems.jsonl"


@pytest.mark.parametrize(
    ("base", "expected"),
    [
        ("/srv/state", "/srv/state/scorer"),
        ("", "/home/of-a-test/.local/state/scorer"),
        # A relative one is invalid and to be ignored, by the XDG Base Directory Specification.
        ("state", "/home/of-a-test/.local/state/scorer"),
    ],
)
def test_the_state_is_where_the_user_keeps_state(
    monkeypatch: pytest.MonkeyPatch, base: str, expected: str
) -> None:
    monkeypatch.setenv("HOME", "/home/of-a-test")
    monkeypatch.setenv("XDG_STATE_HOME", base)
    assert Configuration().state_dir == Path(expected)


def test_a_user_without_a_home_can_start_a_server(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_home(kind: type[Path]) -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    monkeypatch.setattr(Path, "home", classmethod(no_home))
    assert Configuration().state_dir == Path("/var/lib/scorer")


def test_the_help_has_every_setting_with_its_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", "/odd 100%s")
    monkeypatch.setenv("COLUMNS", "10000")
    parser = argparse.ArgumentParser()
    configuration.add_options(parser)
    text = " ".join(parser.format_help().split())
    parts = dict(re.findall(r" (--[a-z-]+) (\S+ .*?)(?= --|$)", text[text.index("options:") :]))
    for setting in dataclasses.fields(Configuration):
        default = getattr(Configuration(), setting.name)
        part = parts[option(setting.name)]
        assert f"(default: {'none' if default in (None, '') else default})" in part
        assert len(part.split(" (default")[0].split()) > 2
    assert "--config" in text
    assert "embedded|paper" in text


def test_the_help_has_settings_of_one_kind_together() -> None:
    parser = argparse.ArgumentParser()
    configuration.add_options(parser)
    titles = re.findall(r"^(\w[\w ,-]*):$", parser.format_help(), re.MULTILINE)
    assert titles == ["options", *configuration.GROUPS.values()]
    assert set(configuration.GROUPS) <= {setting.name for setting in dataclasses.fields(Configuration)}


@pytest.mark.parametrize(
    ("address", "parts"),
    [("127.0.0.1:50051", ("127.0.0.1", 50051)), ("[::1]:0", ("::1", 0)), ("host:65535", ("host", 65535))],
)
def test_an_address_has_a_host_and_a_port(address: str, parts: tuple[str, int]) -> None:
    assert load({"listen": address}, environment={}).listen == address
    assert host_and_port(address) == parts


def test_what_is_no_address_has_no_parts() -> None:
    with pytest.raises(ConfigurationError, match="nowhere"):
        host_and_port("nowhere")
