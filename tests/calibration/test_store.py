"""Calibrations survive, belong to one device, and are not believed where they are damaged."""

import json
import logging
from pathlib import Path
from typing import Any

import pytest

from scorer_service.calibration.store import Calibration, CalibrationStore, MeasuredScore
from scorer_service.environments.interface import Anchors

CALIBRATION = Calibration(
    environment="triton_cumsum",
    profile="embedded",
    device="cpu",
    fingerprint="cpu: a processor, 2 cores, torch 2.15.0",
    measured_at="2026-11-30T15:00:00+00:00",
    starting=MeasuredScore(-0.5, -0.52, -0.47),
    reference=MeasuredScore(-2.0, -2.1, -1.9),
    quantities={"copy_bytes_per_s": 2.5e10},
    versions={"torch": "2.15.0"},
)


def load(store: CalibrationStore) -> Calibration | None:
    return store.load("triton_cumsum", "embedded", CALIBRATION.fingerprint)


def test_what_was_saved_is_loaded_by_another_process(tmp_path: Path) -> None:
    folder = tmp_path / "state" / "calibration"
    path = CalibrationStore(folder).save(CALIBRATION)
    assert load(CalibrationStore(folder)) == CALIBRATION
    assert CALIBRATION.anchors == Anchors(-0.5, -2.0)
    assert [path] == list(folder.iterdir()), "nothing temporary is left"


def test_another_device_profile_or_environment_has_none(tmp_path: Path) -> None:
    store = CalibrationStore(tmp_path)
    store.save(CALIBRATION)
    assert store.load("triton_cumsum", "embedded", CALIBRATION.fingerprint + "0") is None
    assert store.load("triton_cumsum", "paper", CALIBRATION.fingerprint) is None
    assert store.load("fix_embedding", "embedded", CALIBRATION.fingerprint) is None


def test_a_file_that_was_moved_to_another_devices_name_is_not_believed(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    store = CalibrationStore(tmp_path)
    store.save(CALIBRATION).rename(store.path("triton_cumsum", "embedded", "another device"))
    assert store.load("triton_cumsum", "embedded", "another device") is None
    assert "of another device" in caplog.text


def test_a_newer_calibration_takes_the_place_of_the_older(tmp_path: Path) -> None:
    store = CalibrationStore(tmp_path)
    store.save(CALIBRATION)
    newer = Calibration(**{**vars(CALIBRATION), "starting": MeasuredScore(0.25, 0.25, 0.25)})
    store.save(newer)
    assert load(store) == newer


DAMAGE: dict[str, Any] = {
    "nothing": "",
    "cut off": lambda text: text[: len(text) // 2],
    "not an object": "[1, 2]",
    "a list for a score": lambda text: text.replace('"starting": {', '"starting": [1], "x": {'),
    "no reference": lambda text: json.dumps({k: v for k, v in json.loads(text).items() if k != "reference"}),
    "NaN": lambda text: text.replace("-2.0", "NaN"),
    "text for a number": lambda text: text.replace("-2.0", '"-2.0"'),
    "a newer format": lambda text: text.replace('"format": 1', '"format": 2'),
    "anchors that are equal": lambda text: text.replace('"raw": -2.0', '"raw": -0.5'),
    "something more": lambda text: text.replace('"format": 1', '"format": 1, "surplus": 1'),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_file_is_reported_and_ignored(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, damage: str
) -> None:
    store = CalibrationStore(tmp_path)
    path = store.save(CALIBRATION)
    change = DAMAGE[damage]
    path.write_text(change if isinstance(change, str) else change(path.read_text()))
    with caplog.at_level(logging.ERROR):
        assert load(store) is None
    assert str(path) in caplog.text
    assert "scorer calibrate triton_cumsum" in caplog.text


def test_what_is_no_number_is_never_stored(tmp_path: Path) -> None:
    store = CalibrationStore(tmp_path)
    store.save(CALIBRATION)
    spoilt = Calibration(**{**vars(CALIBRATION), "reference": MeasuredScore(float("nan"), 0, 0)})
    with pytest.raises(ValueError, match="JSON"):
        store.save(spoilt)
    assert load(store) == CALIBRATION
    assert len(list(tmp_path.iterdir())) == 1
