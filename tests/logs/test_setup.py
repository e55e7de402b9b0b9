"""Whatever a process has to say on standard error comes in the format that was chosen."""

import json
import subprocess
import sys

import pytest

SPEAKS = """
import logging, sys, threading, warnings
from scorer_service.logs import setup
setup.set_up(sys.argv[1], "json")
logging.getLogger("scorer_service.some").debug("ours")
logging.getLogger("httpx").info("GET https://host/?token=secret")
logging.getLogger("asyncio").error("theirs")
warnings.warn("old")
def fail(): raise KeyError("in a thread")
thread = threading.Thread(target=fail, name="store"); thread.start(); thread.join()
raise ValueError("at the end")
"""


@pytest.mark.parametrize(("level", "ours"), [("debug", ["ours"]), ("info", [])])
def test_everything_is_in_one_format(level: str, ours: list[str]) -> None:
    ended = subprocess.run([sys.executable, "-c", SPEAKS, level], capture_output=True, text=True, check=False)
    lines = [json.loads(line) for line in ended.stderr.splitlines()]
    messages = [line["message"] for line in lines]
    assert messages[: len(ours) + 1] == [*ours, "theirs"]
    assert "UserWarning: old" in messages[len(ours) + 1]
    assert [line["level"] for line in lines[-2:]] == ["ERROR", "CRITICAL"]
    assert "store" in messages[-2]
    assert lines[-2]["exception"].endswith("KeyError: 'in a thread'")
    assert lines[-1]["exception"].endswith("ValueError: at the end")
    assert "secret" not in ended.stderr
    assert ended.returncode == 1
