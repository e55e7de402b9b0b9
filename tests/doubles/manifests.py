"""Kubernetes manifests, rendered as `kubectl kustomize` does for what ours use of it."""

import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml  # type: ignore[import-untyped]

Manifest = dict[str, Any]
USED = {"apiVersion", "kind", "namespace", "resources", "images", "patches"}


def rendered(folder: Path) -> list[Manifest]:
    """All manifests of a kustomization."""
    customization = yaml.safe_load((folder / "kustomization.yaml").read_text())
    assert set(customization) <= USED, "this renderer does not know all of that"
    manifests = list(_resources(folder, customization["resources"]))
    for patch in customization.get("patches", ()):
        [target] = [one for one in manifests if _matches(one, patch["target"])]
        for operation in yaml.safe_load(patch["patch"]):
            _apply(target, operation)
    for manifest in manifests:
        if "namespace" in customization and manifest["kind"] != "Namespace":
            manifest["metadata"]["namespace"] = customization["namespace"]
        for image in customization.get("images", ()):
            for container in _containers(manifest):
                if container["image"] == image["name"]:
                    container["image"] = f"{image['name']}:{image['newTag']}"
    return manifests


def _resources(folder: Path, names: list[str]) -> Iterator[Manifest]:
    for name in names:
        path = folder / name
        if path.is_dir():
            yield from rendered(path)
        else:
            yield from yaml.safe_load_all(path.read_text())


def _matches(manifest: Manifest, target: dict[str, str]) -> bool:
    return bool(manifest["kind"] == target["kind"] and manifest["metadata"]["name"] == target["name"])


def _containers(manifest: Manifest) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = (
        manifest.get("spec", {}).get("template", {}).get("spec", {}).get("containers", [])
    )
    return found


def _apply(manifest: Manifest, operation: dict[str, Any]) -> None:
    """RFC 6902, `add` alone."""
    assert operation["op"] == "add"
    *parents, last = [part.replace("~1", "/").replace("~0", "~") for part in operation["path"].split("/")[1:]]
    place: Any = manifest
    for part in parents:
        place = place[int(part)] if isinstance(place, list) else place[part]
    value = copy.deepcopy(operation["value"])
    if last == "-":
        place.append(value)
    else:
        assert isinstance(place, dict)
        place[last] = value
