"""Without an endpoint there are no traces, and nothing of them."""

import subprocess
import sys
from pathlib import Path

from scripted_environment import ScriptedEnvironment

from scorer_service.scheduling.delivery import Delivery
from scorer_service.scheduling.lane import Lane
from scorer_service.tracing.opening import open_tracing

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
    environment = ScriptedEnvironment()
    assert seams.environment(environment) is environment
    assert seams.make_lane(Lane) is Lane
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
