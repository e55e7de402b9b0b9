"""The containers of a server, where its sandboxes are in some."""

from collections.abc import Collection
from typing import Any

import docker
import docker.errors

from scorer_service.sandbox.docker_engine import SERVER_LABEL


def of_servers(pids: Collection[int]) -> list[str]:
    """Ids of those that serve, or served, one of these processes."""
    client = docker.from_env()
    try:
        found = client.api.containers(all=True, filters={"label": SERVER_LABEL})
        # PIDNAMESPACE-PID-STARTTIME
        return [str(one["Id"]) for one in found if int(one["Labels"][SERVER_LABEL].split("-")[1]) in pids]
    finally:
        client.close()


def first_processes(pids: Collection[int]) -> list[int]:
    """Of the containers that run."""
    client = docker.from_env()
    found: list[int] = []
    try:
        for container in of_servers(pids):
            try:
                state: dict[str, Any] = client.api.inspect_container(container)["State"]
            except docker.errors.NotFound:
                continue
            if state["Running"]:
                found.append(int(state["Pid"]))
    finally:
        client.close()
    return found
