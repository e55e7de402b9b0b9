"""The Kubernetes manifests fit their schemas, each other, and the server that they start."""

import dataclasses
import json
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import kubernetes_validate  # type: ignore[import-untyped]
import pytest
import yaml  # type: ignore[import-untyped]
from manifests import Manifest, rendered

from scorer_service import configuration
from scorer_service.configuration import Configuration

OLDEST = "1.33"
"""The first in which `procMount` and `hostUsers` are on by default."""
KUBECTL = shutil.which("kubectl")
OVERLAYS = ("cpu", "cuda")


@pytest.fixture(params=OVERLAYS)
def overlay(request: pytest.FixtureRequest, repository: Path) -> Path:
    return repository / "deploy" / "kubernetes" / str(request.param)


@pytest.fixture
def manifests(overlay: Path) -> list[Manifest]:
    return rendered(overlay)


def of_kind(manifests: list[Manifest], kind: str) -> Any:
    [found] = [one for one in manifests if one["kind"] == kind]
    return found


def pod(manifests: list[Manifest]) -> Any:
    return of_kind(manifests, "StatefulSet")["spec"]["template"]["spec"]


def server(manifests: list[Manifest]) -> Any:
    [container] = pod(manifests)["containers"]
    return container


def settings(manifests: list[Manifest], tmp_path: Path) -> Configuration:
    """What the server in the pod would be configured with."""
    file = tmp_path / "scorer.toml"
    file.write_text(of_kind(manifests, "ConfigMap")["data"]["scorer.toml"])
    variables = {one["name"]: one["value"] for one in server(manifests)["env"]}
    return configuration.load({}, file, variables)


@pytest.mark.parametrize("version", [OLDEST, None])
def test_manifests_fit_the_schemas_of_kubernetes(manifests: list[Manifest], version: str | None) -> None:
    for manifest in manifests:
        chosen = version or kubernetes_validate.latest_version()
        kubernetes_validate.validate(manifest, chosen, strict=True)


def test_a_field_that_there_is_not_does_not_fit(manifests: list[Manifest]) -> None:
    pod(manifests)["hostUser"] = False
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(of_kind(manifests, "StatefulSet"), OLDEST, strict=True)


@pytest.mark.skipif(KUBECTL is None, reason="no kubectl, which renders as clusters do")
def test_kustomize_renders_the_same(overlay: Path, manifests: list[Manifest]) -> None:
    assert KUBECTL is not None
    done = subprocess.run([KUBECTL, "kustomize", overlay], capture_output=True, text=True, check=True)

    def ordered(all_manifests: list[Manifest]) -> list[str]:
        return sorted(json.dumps(one, sort_keys=True) for one in all_manifests)

    assert ordered(list(yaml.safe_load_all(done.stdout))) == ordered(manifests)


def test_the_settings_are_settings_of_the_server(manifests: list[Manifest], tmp_path: Path) -> None:
    names = {setting.name for setting in dataclasses.fields(Configuration)}
    given = tomllib.loads(of_kind(manifests, "ConfigMap")["data"]["scorer.toml"])
    assert given.keys() <= names
    for variable in server(manifests)["env"]:
        assert variable["name"].removeprefix("SCORER_").lower() in names
    loaded = settings(manifests, tmp_path)
    assert loaded.drain_grace_s + 30 <= pod(manifests)["terminationGracePeriodSeconds"]
    mounted = [mount["mountPath"] for mount in server(manifests)["volumeMounts"]]
    assert str(loaded.state_dir.parent) in mounted
    for file in (loaded.tls_certificate, loaded.tls_key):
        assert file is not None
        assert str(file.parent) in mounted
        # The keys of a secret of type kubernetes.io/tls.
        assert file.name in ("tls.crt", "tls.key")


def test_ports_are_those_of_the_server_and_all_that_use_them_name_them(manifests: list[Manifest]) -> None:
    container = server(manifests)
    ports = {port["name"]: port["containerPort"] for port in container["ports"]}
    defaults = Configuration()
    assert ports == {
        "grpc": configuration.host_and_port(defaults.listen)[1],
        "metrics": configuration.host_and_port(defaults.metrics_listen)[1],
    }
    for port in of_kind(manifests, "Service")["spec"]["ports"]:
        assert port["port"] == ports[port["targetPort"]]
    for rule in of_kind(manifests, "NetworkPolicy")["spec"]["ingress"]:
        assert all(port["port"] in ports for port in rule["ports"])
        assert rule["from"]
    for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
        [check] = [value for key, value in container[probe].items() if key in ("httpGet", "tcpSocket")]
        assert check["port"] == "metrics"
        assert check.get("path", "/healthz") == "/healthz"


def test_everything_selects_the_pods(manifests: list[Manifest]) -> None:
    stateful = of_kind(manifests, "StatefulSet")["spec"]
    labels = stateful["template"]["metadata"]["labels"]
    assert stateful["selector"]["matchLabels"] == labels
    assert of_kind(manifests, "Service")["spec"]["selector"] == labels
    assert of_kind(manifests, "Service")["metadata"]["name"] == stateful["serviceName"]
    assert of_kind(manifests, "NetworkPolicy")["spec"]["podSelector"]["matchLabels"] == labels
    assert of_kind(manifests, "PodDisruptionBudget")["spec"]["selector"]["matchLabels"] == labels


def test_the_servers_reach_nobody(manifests: list[Manifest]) -> None:
    policy = of_kind(manifests, "NetworkPolicy")["spec"]
    assert "Egress" in policy["policyTypes"]
    assert policy["egress"] == []


def test_a_server_has_no_privilege_but_the_profiles_that_the_sandbox_needs(
    manifests: list[Manifest], repository: Path
) -> None:
    of_pod, of_container = pod(manifests)["securityContext"], server(manifests)["securityContext"]
    assert of_pod["runAsNonRoot"]
    assert of_pod["runAsUser"] > 0
    assert of_container["capabilities"] == {"drop": ["ALL"]}
    assert not of_container["allowPrivilegeEscalation"]
    assert of_container["readOnlyRootFilesystem"]
    assert not pod(manifests)["hostUsers"]
    assert not pod(manifests)["automountServiceAccountToken"]
    profile = of_pod["seccompProfile"]["localhostProfile"]
    assert (repository / "deploy" / "seccomp" / profile).is_file()


def test_a_server_owns_a_gpu_in_the_overlay_for_gpus_alone(repository: Path) -> None:
    def gpus(name: str) -> list[Any]:
        resources = server(rendered(repository / "deploy" / "kubernetes" / name))["resources"]
        return [resources[kind].get("nvidia.com/gpu") for kind in ("requests", "limits")]

    assert gpus("cuda") == [1, 1]
    assert gpus("cpu") == [None, None]


def test_the_monitor_finds_the_port_of_metrics(manifests: list[Manifest], repository: Path) -> None:
    monitor = yaml.safe_load((repository / "deploy" / "kubernetes" / "servicemonitor.yaml").read_text())
    service = of_kind(manifests, "Service")
    assert monitor["metadata"]["namespace"] == service["metadata"]["namespace"]
    assert monitor["spec"]["selector"]["matchLabels"] == service["metadata"]["labels"]
    [endpoint] = monitor["spec"]["endpoints"]
    assert endpoint["port"] in {port["name"] for port in service["spec"]["ports"]}
    scraped = yaml.safe_load((repository / "deploy" / "prometheus" / "prometheus.yml").read_text())
    # The operator names a job after the service; the alerts rely on it.
    assert scraped["scrape_configs"][0]["job_name"] == service["metadata"]["name"]
