"""A real Prometheus scrapes a real server, with the rules and the queries that operators get."""

import json
import math
import shutil
import subprocess
import time
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import grafana_dashboard
import pytest
import yaml  # type: ignore[import-untyped]
from server_process import ECHO, ServerProcess, free_port, write_problem_set

PROMETHEUS = shutil.which("prometheus")
pytestmark = pytest.mark.skipif(
    PROMETHEUS is None, reason="no prometheus: Debian's package of that name has it"
)
LIMIT_S = 120.0
ENVIRONMENTS = ("rust_codecontests", "triton_cumsum")
SILENT = ("DCGM_", "ALERTS", "scorer_canary_normalized_score")
"""What has no data here: there is no GPU, nothing is wrong, and the device was not calibrated."""


class Prometheus:
    """A Prometheus with the configuration that operators start from, only quicker."""

    def __init__(self, folder: Path, deploy: Path, target: str) -> None:
        configuration = yaml.safe_load((deploy / "prometheus.yml").read_text())
        configuration["global"] = {"scrape_interval": "1s", "evaluation_interval": "1s"}
        configuration["rule_files"] = [str(deploy / name) for name in configuration["rule_files"]]
        configuration["scrape_configs"][0]["static_configs"] = [{"targets": [target]}]
        folder.mkdir()
        (folder / "prometheus.yml").write_text(yaml.safe_dump(configuration))
        self.log = folder / "prometheus.log"
        self._address = f"127.0.0.1:{free_port()}"
        assert PROMETHEUS is not None
        with self.log.open("wb") as log:
            self._process = subprocess.Popen(
                [
                    PROMETHEUS,
                    f"--config.file={folder / 'prometheus.yml'}",
                    f"--storage.tsdb.path={folder / 'data'}",
                    f"--web.listen-address={self._address}",
                ],
                stdout=log,
                stderr=log,
            )

    def ask(self, path: str, **parameters: str) -> Any:
        address = f"http://{self._address}/api/v1/{path}?{urllib.parse.urlencode(parameters)}"
        with urllib.request.urlopen(address) as response:
            return json.load(response)["data"]

    def values(self, query: str) -> list[float]:
        found: list[dict[str, Any]] = self.ask("query", query=query)["result"]
        return [float(one["value"][1]) for one in found]

    def until(self, condition: Callable[[], bool]) -> None:
        """Wait for what the next scrapes bring; nothing but asking tells."""
        deadline = time.monotonic() + LIMIT_S
        while True:
            try:
                if condition():
                    return
            except OSError:  # it does not listen yet
                pass
            assert self._process.poll() is None, self.log.read_text()
            assert time.monotonic() < deadline, self.log.read_text()[-2000:]
            time.sleep(0.1)

    def wait_for_scrapes(self, count: int) -> None:
        counted = "sum(count_over_time(up[10m]))"
        wanted = self.values(counted)[0] + count
        self.until(lambda: self.values(counted)[0] >= wanted)

    def stop(self) -> None:
        self._process.terminate()
        self._process.wait(30)


@pytest.fixture
def server(tmp_path: Path, torch_python: Path) -> Iterator[ServerProcess]:
    problems = write_problem_set(tmp_path / "problems.jsonl", {"echo": {}})
    running = ServerProcess(
        tmp_path / "server",
        "--problem-set",
        str(problems),
        "--torch-python",
        str(torch_python),
        environments=",".join(ENVIRONMENTS),
    ).start()
    yield running
    assert running.stop() == 0, running.log.read_text()


@pytest.fixture
def prometheus(tmp_path: Path, repository: Path, server: ServerProcess) -> Iterator[Prometheus]:
    running = Prometheus(
        tmp_path / "prometheus", repository / "deploy" / "prometheus", f"127.0.0.1:{server.metrics_port}"
    )
    yield running
    running.stop()


def score_everything(server: ServerProcess, repository: Path) -> None:
    reference = repository / "scorer_service/environments/triton_cumsum/reference/torch_scan.py"
    with server.client() as client:
        client.score_rust_codecontests({"echo": ECHO})
        client.score_triton_cumsum(reference.read_text())


def without_data(prometheus: Prometheus) -> list[str]:
    """Queries of the dashboard that show nothing."""
    empty = []
    for query in grafana_dashboard.queries():
        if query.startswith(SILENT):
            continue
        text = query.replace("$__rate_interval", "1m").replace("$job", "scorer").replace("$instance", ".*")
        asked = [text.replace("$environment", name) for name in ENVIRONMENTS]
        if not any(not math.isnan(value) for one in asked for value in prometheus.values(one)):
            empty.append(query)
    return empty


def test_every_query_of_the_dashboard_has_data_and_a_dead_server_is_noticed(
    server: ServerProcess, prometheus: Prometheus, repository: Path
) -> None:
    server.wait_until(
        lambda: server.metrics()['scorer_environment_serving{environment="triton_cumsum"}'] == 1
    )
    prometheus.until(lambda: prometheus.values("count_over_time(scorer_queue_depth[1m])") != [])
    empty = list(grafana_dashboard.queries())
    for _ in range(5):  # what the first jobs bring is no increase yet
        score_everything(server, repository)
        prometheus.wait_for_scrapes(3)
        empty = without_data(prometheus)
        if not empty:
            break
    assert empty == []

    groups = prometheus.ask("rules")["groups"]
    of_rules = {
        rule["name"]: (rule["health"], rule.get("lastError", ""))
        for group in groups
        for rule in group["rules"]
    }
    assert len(of_rules) > 15
    assert set(of_rules.values()) == {("ok", "")}, of_rules
    assert prometheus.values('ALERTS{alertstate="firing"}') == []

    assert server.stop() == 0
    prometheus.until(lambda: prometheus.values('ALERTS{alertname="ScorerDown"}') == [1.0])
