"""The compose files fit the schema of their specification, and the server that they start.

compose-spec.json is that schema as of compose-go 2.16.2 (github.com/compose-spec/compose-go, Apache-2.0).
"""

import dataclasses
import json
import re
import tomllib
from pathlib import Path
from typing import Any

import jsonschema.validators  # type: ignore[import-untyped]
import pytest
import yaml  # type: ignore[import-untyped]

from scorer_service import configuration
from scorer_service.configuration import Configuration

SERVERS = ("scorer-cpu", "scorer-cuda")
SCHEMA = Path(__file__).with_name("compose-spec.json")


@pytest.fixture
def folder(repository: Path) -> Path:
    return repository / "deploy" / "compose"


@pytest.fixture
def compose(folder: Path) -> Any:
    return yaml.safe_load((folder / "compose.yml").read_text())


def settings(folder: Path) -> Configuration:
    return configuration.load({}, folder / "scorer.toml", {})


def test_all_files_fit_the_schema(folder: Path) -> None:
    schema = json.loads(SCHEMA.read_text())
    validator = jsonschema.validators.validator_for(schema)(schema)
    for name in ("compose.yml", "cgroups-v1.yml", "cgroups-v2.yml"):
        document = yaml.safe_load((folder / name).read_text())
        validator.validate(document)
        document["services"]["scorer-cpu"]["user_name"] = "x"
        assert not validator.is_valid(document)


def test_the_settings_are_settings_of_the_server(folder: Path, compose: Any) -> None:
    names = {setting.name for setting in dataclasses.fields(Configuration)}
    assert tomllib.loads((folder / "scorer.toml").read_text()).keys() <= names
    overriding = yaml.safe_load((folder / "cgroups-v2.yml").read_text())
    for document in (compose, overriding):
        for name in SERVERS:
            for variable in document["services"][name]["environment"]:
                assert variable.removeprefix("SCORER_").lower() in names
    loaded = settings(folder)
    grace = re.fullmatch(r"([0-9]+)s", compose["services"]["scorer-cpu"]["stop_grace_period"])
    assert grace is not None
    assert loaded.drain_grace_s + 30 <= int(grace[1])
    targets = [mount.split(":")[-2] for mount in compose["services"]["scorer-cpu"]["volumes"][1:]]
    for file in (loaded.tls_certificate, loaded.tls_key):
        assert file is not None
        assert str(file.parent) in targets


def test_what_is_mounted_is_there(folder: Path, compose: Any) -> None:
    for service in compose["services"].values():
        for mount in service["volumes"]:
            source = mount.split(":")[0]
            if source.startswith("."):
                assert (folder / source).exists(), mount
            elif not source.startswith("$"):
                assert source in compose["volumes"]
        for option in service["security_opt"]:
            if option.startswith("seccomp="):
                assert (folder / option.removeprefix("seccomp=")).is_file()
    build = compose["services"]["scorer-cpu"]["build"]
    assert (folder / build["context"] / build["dockerfile"]).is_file()


def test_a_certificate_can_be_replaced_since_its_folder_is_mounted(compose: Any) -> None:
    [mount] = [one for one in compose["services"]["scorer-cpu"]["volumes"] if "/run/scorer-tls" in one]
    assert mount == "${SCORER_TLS:-./tls}:/run/scorer-tls:ro"


def test_the_profiles_differ_in_the_device_alone(compose: Any) -> None:
    cpu, cuda = ({**compose["services"][name]} for name in SERVERS)
    for service, device in ((cpu, "cpu"), (cuda, "cuda")):
        assert service.pop("environment") == {"SCORER_DEVICE": device}
        assert service.pop("profiles") == [device]
        assert service.pop("image").endswith(f":{device}}}")
        service.pop("build")
    assert cuda.pop("deploy")["resources"]["reservations"]["devices"]
    assert cpu == cuda


def test_the_server_has_no_privilege_but_what_the_sandbox_needs(compose: Any) -> None:
    service = compose["services"]["scorer-cpu"]
    assert service["cap_drop"] == ["ALL"]
    assert "cap_add" not in service
    assert "privileged" not in service
    assert not service["user"].startswith("0")
    assert set(service["security_opt"]) == {
        "no-new-privileges",
        "seccomp=../seccomp/scorer.json",
        "systempaths=unconfined",
        "apparmor=unconfined",
    }


def test_what_has_no_token_is_reached_from_this_machine_alone(compose: Any) -> None:
    for name in ("prometheus", "grafana"):
        assert all(port.startswith("127.0.0.1:") for port in compose["services"][name]["ports"])
    [published] = compose["services"]["scorer-cpu"]["ports"]
    port = configuration.host_and_port(Configuration().listen)[1]
    assert published == f"${{SCORER_PUBLISH:-127.0.0.1}}:{port}:{port}"


def test_prometheus_differs_from_that_of_one_machine_in_its_target_alone(folder: Path, compose: Any) -> None:
    here = yaml.safe_load((folder / "prometheus.yml").read_text())
    there = yaml.safe_load((folder.parent / "prometheus" / "prometheus.yml").read_text())
    [target] = here["scrape_configs"][0]["static_configs"][0].pop("targets")
    there["scrape_configs"][0]["static_configs"][0].pop("targets")
    assert here == there
    host, port = configuration.host_and_port(target)
    assert port == configuration.host_and_port(Configuration().metrics_listen)[1]
    for name in SERVERS:
        assert host in compose["services"][name]["networks"]["monitoring"]["aliases"]
    mounted = [mount.split(":")[1] for mount in compose["services"]["prometheus"]["volumes"]]
    for rules in here["rule_files"]:
        assert f"/etc/prometheus/{rules}" in mounted


def test_grafana_is_given_the_dashboard_and_the_prometheus(folder: Path, compose: Any) -> None:
    grafana = compose["services"]["grafana"]
    mounted = dict(mount.split(":")[:2] for mount in grafana["volumes"])
    provisioning = folder / next(iter(mounted))
    assert mounted[next(iter(mounted))] == "/etc/grafana/provisioning"
    dashboards = yaml.safe_load((provisioning / "dashboards" / "scorer.yml").read_text())
    home = grafana["environment"]["GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH"]
    assert home in mounted.values()
    assert str(Path(home).parent) == dashboards["providers"][0]["options"]["path"]
    [source] = yaml.safe_load((provisioning / "datasources" / "prometheus.yml").read_text())["datasources"]
    assert source["isDefault"]
    assert source["url"].split("/")[2].split(":")[0] in compose["services"]
