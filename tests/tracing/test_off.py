"""Without an endpoint there are no traces, and nothing of them."""

import subprocess
import sys
from pathlib import Path

from scorer_service.scheduling.delivery import Delivery
from scorer_service.tracing.opening import open_tracing
from scorer_service.tracing.seams import Seams

NOTHING_LOADED = """
import sys
import scorer_service.serve
from scorer_service.tracing.opening import open_tracing
open_tracing("")
print([name for name in sys.modules if name.startswith("opentelemetry")])
"""

WITHOUT_EXTRA = """
import sys
sys.modules["opentelemetry"] = None
from scorer_service.main import main
sys.exit(main(["serve", "--trace-endpoint", "http://127.0.0.1:4317", "--state-dir", sys.argv[1]]))
"""


def test_nothing_is_wrapped() -> None:
    seams = open_tracing("")
    names = {name for name in vars(Seams) if not name.startswith("_")}
    passed_on = names - {"interceptors", "make_delivery", "close"}
    assert {"queue", "backend", "make_gate"} < passed_on
    for name in passed_on:
        whatever = object()
        assert getattr(seams, name)(whatever) is whatever
    assert seams.make_delivery is Delivery
    assert not seams.interceptors


def test_nothing_is_loaded() -> None:
    ended = subprocess.run([sys.executable, "-c", NOTHING_LOADED], capture_output=True, text=True, check=True)
    assert ended.stdout == "[]\n"


def test_an_endpoint_without_the_extra_names_the_way_out(tmp_path: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", WITHOUT_EXTRA, str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 2
    assert "pip install 'scorer-service[traces]'" in ended.stderr
    assert "Traceback" not in ended.stderr
