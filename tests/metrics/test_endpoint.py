"""/metrics and /healthz: what a scraper and a load balancer get, and what becomes of silent callers."""

import http.client
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from prometheus_client import CollectorRegistry, Counter

from scorer_service.metrics import endpoint
from scorer_service.metrics.endpoint import MetricsEndpoint, MetricsListenError


@dataclass
class Running:
    """An endpoint on a free port, and its health as the test sets it."""

    endpoint: MetricsEndpoint
    counter: Counter
    health: list[bool]
    host: str = "127.0.0.1"

    def get(self, path: str, method: str = "GET") -> tuple[int, str, str]:
        connection = http.client.HTTPConnection(self.host, self.endpoint.port, timeout=10)
        try:
            connection.request(method, path)
            response = connection.getresponse()
            return response.status, response.headers.get("Content-Type", ""), response.read().decode()
        finally:
            connection.close()


@pytest.fixture
def running(request: pytest.FixtureRequest) -> Iterator[Running]:
    host = getattr(request, "param", "127.0.0.1")
    registry = CollectorRegistry()
    counter = Counter("things", "Counted.", registry=registry)
    health = [True]
    made = MetricsEndpoint(host, 0, registry, lambda: health[0])
    yield Running(made, counter, health, host)
    made.close()


def test_metrics_are_as_they_are_now(running: Running) -> None:
    for count in (1, 2):
        running.counter.inc()
        status, kind, text = running.get("/metrics")
        assert status == 200
        assert kind.startswith("text/plain")
        assert f"things_total {count}.0" in text


def test_a_query_selects_metrics(running: Running) -> None:
    assert "things_total" not in running.get("/metrics?name[]=other")[2]


def test_health_follows_the_server(running: Running) -> None:
    assert running.get("/healthz")[::2] == (200, "ok\n")
    running.health[0] = False
    assert running.get("/healthz")[::2] == (503, "not serving\n")
    running.health[0] = True
    assert running.get("/healthz")[0] == 200


@pytest.mark.parametrize("path", ["/", "/metrics/", "/healthz/x", "/metricsx", "/../metrics"])
def test_any_other_path_says_what_is_here(running: Running, path: str) -> None:
    status, _, text = running.get(path)
    assert status == 404
    assert "/metrics" in text
    assert "/healthz" in text


def has_ipv6() -> bool:
    with socket.socket(socket.AF_INET6) as probe:
        try:
            probe.bind(("::1", 0))
        except OSError:
            return False
    return True


@pytest.mark.skipif(not has_ipv6(), reason="this machine has no IPv6")
@pytest.mark.parametrize("running", ["::1"], indirect=True)
def test_an_ipv6_address_can_be_listened_on(running: Running) -> None:
    assert running.get("/healthz")[0] == 200


def test_a_busy_port_is_named_with_the_option_that_helps(running: Running) -> None:
    with pytest.raises(MetricsListenError, match=f"127.0.0.1:{running.endpoint.port}") as caught:
        MetricsEndpoint("127.0.0.1", running.endpoint.port, CollectorRegistry(), lambda: True)
    assert "--metrics-listen" in str(caught.value)


def test_an_unknown_host_is_named(running: Running) -> None:
    with pytest.raises(MetricsListenError, match=r"nowhere\.invalid"):
        MetricsEndpoint("nowhere.invalid", 0, CollectorRegistry(), lambda: True)


def test_a_closed_endpoint_gives_its_port_back() -> None:
    first = MetricsEndpoint("127.0.0.1", 0, CollectorRegistry(), lambda: True)
    first.close()
    MetricsEndpoint("127.0.0.1", first.port, CollectorRegistry(), lambda: True).close()


def test_a_silent_caller_keeps_nobody_else_waiting(running: Running) -> None:
    silent = [socket.create_connection(("127.0.0.1", running.endpoint.port)) for _ in range(20)]
    assert running.get("/healthz")[0] == 200
    for connection in silent:
        connection.close()


def test_callers_that_break_the_protocol_leave_no_thread_and_no_traceback(
    running: Running, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    before = threading.active_count()
    monkeypatch.setattr(endpoint._QuietHandler, "timeout", 0.05)
    address = ("127.0.0.1", running.endpoint.port)
    for data in (b"", b"\xff\xfe\r\n\r\n", b"GET /metrics"):
        with socket.create_connection(address) as connection:
            connection.sendall(data)
            while connection.recv(4096):  # until the endpoint hangs up
                pass
    for _ in range(5):
        with socket.create_connection(address) as connection:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            connection.sendall(b"GET /metrics HTTP/1.1\r\n\r\n")  # and reset at once
    assert running.get("/healthz")[0] == 200
    for thread in threading.enumerate():
        if thread.name.startswith("Thread-"):
            thread.join(10)
    assert threading.active_count() <= before
    assert "Traceback" not in capfd.readouterr().err
