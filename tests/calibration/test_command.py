"""`scorer calibrate` on the command line: what is wrong is told before anything is started."""

from pathlib import Path

import pytest

from scorer_service.calibration import run
from scorer_service.environments.interface import CalibrationTable
from scorer_service.main import main


def test_an_unknown_environment_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["calibrate", "chess", "--state-dir", str(tmp_path)]) == 2
    assert "no environment 'chess': there are " in capsys.readouterr().err


def test_a_python_without_torch_is_named_with_the_way_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    missing = tmp_path / "no-python"
    arguments = ["--state-dir", str(tmp_path / "state"), "--torch-python", str(missing)]
    assert main(["calibrate", "triton_cumsum", *arguments]) == 1
    told = capsys.readouterr().err
    assert str(missing) in told
    assert "make setup" in told


def test_the_table_is_a_line_for_each_quantity() -> None:
    table = CalibrationTable(rows=(("device", "cpu"), ("overhead", "30 us")), values={}, path=Path("/a/b"))
    assert run.in_words(table) == "device     cpu\noverhead   30 us\nstored in  /a/b"
