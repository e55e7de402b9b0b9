"""What only containers have: what the engine is asked for, what it has left, and its failures."""

import contextlib
import io
import os
import resource
import signal
import socket
import subprocess
import sys
import tarfile
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import docker
import pytest
import scorer_launcher
from container_engine import client, engine_or_skip
from scorer_launcher import Limits, SandboxError

from scorer_service.sandbox import choice, docker_container, docker_engine
from scorer_service.sandbox.choice import ProbedBackend, open_backend
from scorer_service.sandbox.docker_engine import SERVER_LABEL, Engine, this_process

PROGRAM = "/program"
LIMITS = Limits(cpu_limit_s=5.0, wall_limit_s=60.0, memory_limit_bytes=128 << 20)
OPEN = """
import sys, time
from pathlib import Path
from scorer_service.sandbox.choice import open_backend
backend = open_backend("docker", Path(sys.argv[1]), 1)
sandbox = backend.open({"/program": sys.argv[2]}, {}, ["/program"])
print("open", flush=True)
time.sleep(600)
"""


@pytest.fixture
def engine() -> Iterator[docker.APIClient]:
    """A connection of the test's own."""
    engine_or_skip()
    connection = client()
    yield connection
    connection.close()


def containers_of(engine: docker.APIClient, process: str) -> list[Mapping[str, Any]]:
    found: list[Mapping[str, Any]] = engine.containers(
        all=True, filters={"label": f"{SERVER_LABEL}={process}"}
    )
    return found


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < deadline
        os.sched_yield()


def the_container(engine: docker.APIClient) -> Mapping[str, Any]:
    """That of this process, once those before it are removed."""
    wait_until(lambda: len(containers_of(engine, this_process())) == 1)
    (found,) = containers_of(engine, this_process())
    return found


def status_of(pid: int) -> Mapping[str, str]:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}


def test_a_container_may_nothing_and_ends_with_its_sandbox(
    docker_backend: ProbedBackend, engine: docker.APIClient, program: Path
) -> None:
    sandbox = docker_backend.open({PROGRAM: str(program)}, {}, [PROGRAM])
    assert sandbox.run([PROGRAM, "nothing"], limits=LIMITS).exit_code == 0
    found = the_container(engine)
    seen = engine.inspect_container(found["Id"])
    host = seen["HostConfig"]
    assert (host["NetworkMode"], host["ReadonlyRootfs"], host["CapDrop"]) == ("none", True, ["ALL"])
    assert not host["Privileged"]
    assert host["PidsLimit"] > 0
    assert 0 < host["Memory"] == host["MemorySwap"] < os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    assert host["CpusetCpus"] == ",".join(map(str, sorted(os.sched_getaffinity(0))))
    assert all(not mount["RW"] for mount in seen["Mounts"])
    # What the supervisor made the sandbox with, it has no more; and the engine's filter is on it.
    status = status_of(seen["State"]["Pid"])
    assert {int(status[name], 16) for name in ("CapInh", "CapPrm", "CapEff", "CapAmb")} == {0}
    assert (status["NoNewPrivs"], status["Seccomp"]) == ("1", "2")
    # The group of the run lies below that of the container, whose limits hold over it.
    groups = [str(path) for path in Path("/sys/fs/cgroup").rglob(f"scorer-*-{os.getpid()}-*-*")]
    assert any(found["Id"] in path for path in groups), groups
    sandbox.close()
    wait_until(lambda: not containers_of(engine, this_process()))


def test_a_container_that_is_killed_is_the_services_failure(
    docker_backend: ProbedBackend, engine: docker.APIClient, program: Path
) -> None:
    sandbox = docker_backend.open({PROGRAM: str(program)}, {}, [PROGRAM])
    found = the_container(engine)
    engine.kill(found["Id"])
    with pytest.raises(SandboxError):
        sandbox.run([PROGRAM, "nothing"], limits=LIMITS)
    sandbox.close()


def test_a_container_that_is_killed_in_a_run_ends_it_without_a_verdict(
    docker_backend: ProbedBackend, engine: docker.APIClient, program: Path
) -> None:
    sandbox = docker_backend.open({PROGRAM: str(program)}, {}, [PROGRAM])
    assert isinstance(sandbox, scorer_launcher.Sandbox)
    with docker_backend.take_places(1) as places:
        run = sandbox.start([PROGRAM, "sleep"], limits=LIMITS, places=places)
        found = the_container(engine)
        engine.kill(found["Id"])
        with pytest.raises(SandboxError):
            run.wait()
    sandbox.close()


def test_containers_end_when_their_server_is_killed(
    engine: docker.APIClient, program: Path, tmp_path: Path
) -> None:
    command = [sys.executable, "-c", OPEN, str(tmp_path / "containers"), str(program)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as server:
        assert server.stdout is not None
        assert server.stdout.readline() == b"open\n"
        started = Path(f"/proc/{server.pid}/stat").read_text().rpartition(")")[2].split()[19]
        process = f"{this_process().partition('-')[0]}-{server.pid}-{started}"
        assert len(containers_of(engine, process)) == 1
        server.send_signal(signal.SIGKILL)
    wait_until(lambda: not containers_of(engine, process))


def test_what_dead_servers_left_is_removed_and_what_the_living_have_is_not(
    engine: docker.APIClient, open_docker: Callable[[], ProbedBackend]
) -> None:
    image = Engine().image()
    namespace, pid, started = this_process().split("-")
    dead, foreign = f"{namespace}-{pid}-{int(started) + 1}", f"1-{pid}-1"
    made = {
        process: engine.create_container(image, ["nothing"], labels={SERVER_LABEL: process})["Id"]
        for process in (dead, foreign, this_process())
    }
    try:
        open_docker()
        left = {found["Id"] for process in made for found in containers_of(engine, process)}
        assert made[dead] not in left
        assert {made[foreign], made[this_process()]} <= left
    finally:
        for container in made.values():
            Engine().remove(container)


def test_of_its_folder_only_its_own_leftovers_are_removed(engine: docker.APIClient, tmp_path: Path) -> None:
    left = tmp_path / f"{docker_container.MEETING_PREFIX}of-a-killed-server"
    left.mkdir()
    (left / "control").touch()
    (tmp_path / "somebodys").mkdir()
    (tmp_path / "somebodys" / "file").touch()
    open_backend("docker", tmp_path, 1)
    assert [path.name for path in tmp_path.rglob("*")] == ["somebodys", "file"]


def test_an_image_can_be_built_on_a_base(engine: docker.APIClient) -> None:
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w") as tar:
        tar.addfile(tarfile.TarInfo("there"))
    engine.import_image_from_data(content.getvalue(), repository="scorer-test-base", tag="1")
    try:
        name = Engine().build_image("scorer-test-base:1")
        built: Any = engine.inspect_image(name)  # type: ignore[no-untyped-call]
        assert len(built["RootFS"]["Layers"]) == 2
    finally:
        # What others use is what a server builds.
        Engine().build_image()
        engine.remove_image("scorer-test-base:1")
    with pytest.raises(SandboxError, match=r"cannot build .* on No:Name"):
        Engine().build_image("No:Name")


def test_a_gpu_is_asked_for_by_a_device_request(tmp_path: Path) -> None:
    class Refusing(Engine):
        """Takes no container, but keeps what it was asked for."""

        asked: Mapping[str, Any]

        def __init__(self) -> None:
            self._memory_bytes = 8 << 30

        def start(self, configuration: Mapping[str, Any]) -> str:
            self.asked = configuration
            raise SandboxError("on purpose")

    for gpu, requests in ((True, [{"Count": -1, "Capabilities": [["gpu"]]}]), (False, None)):
        engine = Refusing()
        with (
            pytest.raises(SandboxError, match="on purpose"),
            docker_container.started(engine, "image", (), tmp_path, [0], gpu=gpu),
        ):
            pass
        assert engine.asked["HostConfig"].get("DeviceRequests") == requests
    assert list(tmp_path.iterdir()) == []


def test_a_container_is_met_however_many_files_a_server_has_open(tmp_path: Path) -> None:
    class Connecting(Engine):
        """Takes no container, but connects as the supervisor in one does."""

        def __init__(self) -> None:
            self._memory_bytes = 8 << 30
            self.supervisor = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)

        def start(self, configuration: Mapping[str, Any]) -> str:
            folder = os.open(configuration["HostConfig"]["Mounts"][0]["Source"], os.O_PATH)
            self.supervisor.connect(f"/proc/self/fd/{folder}/control")
            os.close(folder)
            return "container"

    engine = Connecting()
    with contextlib.ExitStack() as opened:
        opened.callback(engine.supervisor.close)
        limits = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (limits[1], limits[1]))
        opened.callback(resource.setrlimit, resource.RLIMIT_NOFILE, limits)
        # All numbers that select(2) takes.
        while opened.enter_context(Path(os.devnull).open()).fileno() < 1023:
            pass
        with docker_container.started(engine, "image", (), tmp_path, [0]) as control:
            assert control.fileno() > 1023
            # The launcher waits for what is said.
            assert os.get_blocking(control.fileno())
            engine.supervisor.send(b"here")
            assert control.recv(100) == b"here"


def test_without_an_engine_the_error_tells_the_way_out(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/none.sock")
    with pytest.raises(SandboxError, match=r"no container engine answers .*none.sock.*--sandbox native"):
        open_backend("docker", tmp_path / "containers")
    monkeypatch.setenv("DOCKER_HOST", "tcp://elsewhere:2375")
    with pytest.raises(SandboxError, match="an engine on this machine"):
        open_backend("docker", tmp_path / "containers")


def test_auto_is_native_where_that_works(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/none.sock")
    assert open_backend("auto", tmp_path / "containers").description.startswith("native, ")


class NoNative:
    """Of a machine on which the native backend does not work."""

    def __init__(self, _slot_count: int | None = None) -> None:
        raise SandboxError("no user namespaces")


def test_auto_is_docker_where_native_does_not_work(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, engine: docker.APIClient
) -> None:
    monkeypatch.setattr(choice, "NativeBackend", NoNative)
    assert open_backend("auto", tmp_path / "containers").description.startswith("docker ")
    with pytest.raises(SandboxError, match="no user namespaces"):
        open_backend("native", tmp_path / "containers")


def test_auto_tells_why_neither_works(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(choice, "NativeBackend", NoNative)
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/none.sock")
    with pytest.raises(SandboxError, match=r"native: no user namespaces\. docker: no container engine"):
        open_backend("auto", tmp_path / "containers")


def test_the_files_of_the_image_are_found() -> None:
    assert b"FROM" in docker_engine.definition("Dockerfile")
    with pytest.raises(SandboxError, match=r"no\.such is missing"):
        docker_engine.definition("no.such")
