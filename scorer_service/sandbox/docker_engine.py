"""The container engine: whether it answers, what it has, and what it runs for servers that are gone."""

import contextlib
import hashlib
import importlib.util
import io
import os
import socket
import tarfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import scorer_launcher

if TYPE_CHECKING:
    import docker

SERVER_LABEL = "scorer.server"
"""Label of a container: the process that it serves."""
_REPOSITORY = "scorer-sandbox"
_TIMEOUT_S = 60
_WAY_OUT = (
    "start one (systemctl start docker) and let this user reach its socket (group docker, or DOCKER_HOST), "
    "or choose --sandbox native"
)


class Engine:
    """A connection to an engine on this machine. May be used from any thread.

    Every call raises scorer_launcher.SandboxError, which says what the engine said.
    """

    def __init__(self) -> None:
        """Ask the engine of DOCKER_HOST, or of its usual socket, for its version."""
        if importlib.util.find_spec("docker") is None:
            raise scorer_launcher.SandboxError(
                "the docker backend needs the package docker: pip install 'scorer-service[docker]'"
            )
        address = os.environ.get("DOCKER_HOST", "unix:///var/run/docker.sock")
        if not address.startswith("unix://"):
            raise scorer_launcher.SandboxError(
                f"DOCKER_HOST is {address}: sandboxes are talked to by sockets and descriptors, which takes "
                "an engine on this machine (unix://...)"
            )
        self._address = address
        self._api_version = "auto"
        unanswered = f"no container engine answers at {address} ({_WAY_OUT})"
        try:
            # By ourselves first: the SDK leaves a socket open where nobody listens.
            with socket.socket(socket.AF_UNIX) as trial:
                trial.connect(address.removeprefix("unix://"))
        except OSError as error:
            raise scorer_launcher.SandboxError(f"{unanswered}: {error.strerror or error}") from error
        with self._talking(unanswered) as client:
            version: Mapping[str, Any] = client.version()
            self._memory_bytes = int(client.info()["MemTotal"])
            self._api_version = client.api_version
        self.version = str(version["Version"])

    @property
    def memory_bytes(self) -> int:
        """What the machine of the engine has."""
        return self._memory_bytes

    def image(self) -> str:
        """The name of the image of this version of the supervisor; it is built where it is missing."""
        tag = _tag(scorer_launcher.supervisor_executable())
        with self._talking("cannot list images") as client:
            known = client.images(name=tag, quiet=True)
        return tag if known else self.build_image()

    def build_image(self, base: str = "scratch") -> str:
        """Build the image on a base, and give its name. The base `scratch` needs no registry."""
        executable = scorer_launcher.supervisor_executable()
        tag = _tag(executable)
        context = _archive(
            {"Dockerfile": (definition("Dockerfile"), 0o644), "supervisor": (executable, 0o755)}
        )
        with self._talking(f"cannot build the image {tag} on {base}") as client:
            # All are read, or their connection stays open.
            steps = list(
                client.build(
                    fileobj=context,
                    custom_context=True,
                    tag=tag,
                    buildargs={"BASE": base},
                    network_mode="none",
                    rm=True,
                    forcerm=True,
                    decode=True,
                )
            )
        for step in steps:
            if "error" in step:
                raise scorer_launcher.SandboxError(f"cannot build the image {tag} on {base}: {step['error']}")
        return tag

    def start(self, configuration: Mapping[str, Any]) -> str:
        """Make and start a container; gives its id."""
        with self._talking("cannot start a container") as client:
            made = client.create_container_from_config(dict(configuration))  # type: ignore[no-untyped-call]
            container = str(made["Id"])
            try:
                client.start(container)
            except BaseException:
                self.remove(container)
                raise
        return container

    def end_of(self, container: str) -> str | None:
        """How a container ended; None while it runs."""
        with self._talking("cannot look at a container") as client:
            found = client.containers(all=True, filters={"id": container})
            if found and found[0]["State"] in ("created", "running", "restarting"):
                return None
        return str(found[0]["Status"]) if found else "it is gone"

    def remove(self, container: str) -> None:
        """Kill and remove a container, if it is still there."""
        import docker.errors

        with (
            self._talking("cannot remove a container") as client,
            contextlib.suppress(docker.errors.NotFound),
        ):
            try:
                client.remove_container(container, force=True)
            except docker.errors.APIError as error:
                # A container that ended is being removed by the engine itself.
                if error.status_code != 409:
                    raise

    def sweep(self) -> int:
        """Remove what is left of servers that are gone, and tell how many there were."""
        with self._talking("cannot list containers") as client:
            found = client.containers(all=True, filters={"label": SERVER_LABEL})
        left = [each["Id"] for each in found if _is_gone(each["Labels"][SERVER_LABEL])]
        for container in left:
            self.remove(container)
        return len(left)

    @contextlib.contextmanager
    def _talking(self, what: str) -> "Iterator[docker.APIClient]":
        """A connection for some calls. Whatever goes wrong in `what` is a failure of the service.

        One for all would keep open as many sockets as it had calls at once.
        """
        import docker
        import docker.errors
        import requests

        try:
            client = docker.APIClient(base_url=self._address, version=self._api_version, timeout=_TIMEOUT_S)
            with contextlib.closing(client):
                yield client
        except docker.errors.APIError as error:
            raise scorer_launcher.SandboxError(f"{what}: {error.explanation or error}") from error
        except (docker.errors.DockerException, requests.RequestException, OSError) as error:
            raise scorer_launcher.SandboxError(f"{what}: {error}") from error


def _tag(executable: bytes) -> str:
    """The name of the image of a supervisor."""
    return f"{_REPOSITORY}:{hashlib.sha256(executable).hexdigest()[:12]}"


def this_process() -> str:
    """This process, in a way that no later one is mistaken for it: PID namespace, number, time of start."""
    return f"{_pid_namespace()}-{os.getpid()}-{_start_time(os.getpid())}"


def _is_gone(process: str) -> bool:
    namespace, _, rest = process.partition("-")
    pid, _, started = rest.partition("-")
    # Whether a process of another PID namespace lives cannot be seen from here.
    return namespace == str(_pid_namespace()) and pid.isdigit() and _start_time(int(pid)) != started


def _pid_namespace() -> int:
    return Path("/proc/self/ns/pid").stat().st_ino


def _start_time(pid: int) -> str | None:
    """In clock ticks since the boot: field 22 of proc_pid_stat(5), after a command that may hold anything."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]
    except OSError:
        return None


def definition(name: str) -> bytes:
    """A file of what containers are made from.

    In an installed package it lies beside this module, in a checkout in `sandboxes/`.
    """
    here = Path(__file__).resolve().parent
    candidates = here / "container" / name, here.parents[1] / "sandboxes" / "launcher" / name
    for candidate in candidates:
        if candidate.is_file():
            return candidate.read_bytes()
    raise scorer_launcher.SandboxError(f"{name} is missing: looked for {' and '.join(map(str, candidates))}")


def _archive(files: Mapping[str, tuple[bytes, int]]) -> io.BytesIO:
    """A tar of files, with the mode of each; the same for the same files."""
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w") as tar:
        for name, (content, mode) in files.items():
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode = len(content), mode
            tar.addfile(entry, io.BytesIO(content))
    archive.seek(0)
    return archive
