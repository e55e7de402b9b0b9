"""What a real server shows is what the page lists: no more, no less."""

import urllib.request
from collections.abc import Sequence
from pathlib import Path

from metrics_page import Metric
from prometheus_client.parser import text_string_to_metric_families
from server_process import ECHO, ServerProcess, write_problem_set


def test_a_scrape_has_the_metrics_of_the_page_with_their_labels(
    registered: Sequence[Metric], tmp_path: Path
) -> None:
    problems = write_problem_set(tmp_path / "problems.jsonl", {"echo": {}})
    server = ServerProcess(tmp_path / "server", "--problem-set", str(problems)).start()
    try:
        with server.client() as client:
            client.score_rust_codecontests({"echo": ECHO})
        with urllib.request.urlopen(f"http://127.0.0.1:{server.metrics_port}/metrics") as response:
            families = list(text_string_to_metric_families(response.read().decode()))
    finally:
        assert server.stop() == 0
    listed = {metric.name: metric for metric in registered}
    scraped = {family.name + ("_total" if family.type == "counter" else ""): family for family in families}
    assert set(scraped) == set(listed)
    for name, family in scraped.items():
        for sample in family.samples:
            assert set(sample.labels) - {"le"} == set(listed[name].labels), sample
    judged = {
        sample.labels["verdict"]: sample.value for sample in scraped["scorer_jobs_judged_total"].samples
    }
    assert judged["scored"] == 1
