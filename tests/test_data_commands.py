"""`scorer data prepare paper`: what an operator sees of it."""

import io
from pathlib import Path

import pytest
import tiny_hub

from scorer_service import data_commands
from scorer_service.language.paper import prepared
from scorer_service.main import EXIT_FAILURE, main
from scorer_service.progress_line import ProgressLine

pytest.importorskip("pyarrow", reason="the extra `hub` is not installed")
pytest.importorskip("tokenizers")


@pytest.fixture
def tiny(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The hub is a folder, and everything is small."""
    sources = tiny_hub.write_hub(tmp_path / "hub")
    monkeypatch.setattr(data_commands, "Sources", lambda: sources)
    monkeypatch.setattr(prepared, "PUBLISHED", tiny_hub.SIZES)


@pytest.mark.usefixtures("tiny")
def test_the_data_lie_in_the_state_folder_for_the_server_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    state = tmp_path / "state"

    status = main(["data", "prepare", "paper", "--state-dir", str(state), "--training-tokens", "12000"])

    shown = capsys.readouterr()
    assert status == 0
    assert prepared.load(state / "data" / "paper").training.stat().st_size == 2 * 12_000
    for folder in (state, state / "data", state / "data" / "paper"):
        assert folder.stat().st_mode & 0o777 == 0o700
    assert "has to be started again" in shown.out
    assert "training.u16" in shown.out
    assert "100 %  12.90 k of 12.90 k tokens of public text" in shown.err


@pytest.mark.usefixtures("tiny")
def test_a_failure_is_one_line_and_a_status(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(data_commands, "Sources", lambda: prepared.Sources(model=tmp_path))

    status = main(["data", "prepare", "paper", "--state-dir", str(tmp_path / "state")])

    shown = capsys.readouterr()
    assert status == EXIT_FAILURE
    assert shown.err.startswith("scorer: ")
    assert "Traceback" not in shown.err


@pytest.mark.parametrize("number", ["0", "-1", "many", "1e9", "10000000000"])
def test_a_number_of_tokens_that_cannot_be_is_refused(
    number: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(["data", "prepare", "paper", f"--training-tokens={number}"])

    assert "a number from 1 to 8500000000" in capsys.readouterr().err


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_on_a_terminal_is_one_line_for_each_thing_that_is_counted() -> None:
    stream = Terminal()
    progress = ProgressLine(stream)

    for counted in ("bytes of a", "bytes of b"):
        for done in (1000, 2000, 5_000_000_000):
            progress.show(counted, done, 5_000_000_000)
    progress.close()

    lines = stream.getvalue().removesuffix("\n").split("\n")
    assert [line.split("\r")[-1].rstrip() for line in lines] == [
        "100 %  5.00 G of 5.00 G bytes of a",
        "100 %  5.00 G of 5.00 G bytes of b",
    ]


def test_progress_without_a_terminal_is_few_whole_lines() -> None:
    stream = io.StringIO()
    progress = ProgressLine(stream)

    for done in range(1001):
        progress.show("bytes of a", done, 1000)
    progress.close()

    assert stream.getvalue().splitlines() == [
        "  0 %  0 of 1.00 k bytes of a",
        "100 %  1.00 k of 1.00 k bytes of a",
    ]
