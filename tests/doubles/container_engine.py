"""The container engine of tests, where there is one."""

import os

import docker
import pytest
import scorer_launcher

from scorer_service.sandbox.docker_engine import Engine


def engine_or_skip() -> Engine:
    """The engine that the service would use. Skips, with the reason, where there is none."""
    try:
        return Engine()
    except scorer_launcher.SandboxError as error:
        pytest.skip(str(error))


def client() -> docker.APIClient:
    """A connection of the test's own to look at the engine."""
    return docker.APIClient(base_url=os.environ.get("DOCKER_HOST"), version="auto")
