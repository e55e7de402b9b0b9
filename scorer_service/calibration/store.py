"""Keeps what was measured with starting and reference solutions, a file for each device and profile."""

import dataclasses
import hashlib
import json
import logging
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from scorer_service.environments.interface import Anchors
from scorer_service.whole_file import whole_file

log = logging.getLogger(__name__)

_FORMAT = 1


@dataclass(frozen=True)
class MeasuredScore:
    """The raw score of a solution, with the 95 % confidence interval of it."""

    raw: float
    lower_raw: float
    upper_raw: float


@dataclass(frozen=True)
class Calibration:
    """What was measured on a device, for one environment and profile."""

    environment: str
    profile: str
    device: str
    """As in "cpu", or the name of a GPU."""
    fingerprint: str
    """Names the device and everything that its speed depends on; another needs a calibration of its own."""
    measured_at: str
    """ISO 8601, UTC."""
    starting: MeasuredScore
    reference: MeasuredScore
    quantities: Mapping[str, float] = field(default_factory=dict)
    """What else the environment measured, by name with its unit, as in "copy_bytes_per_s"."""
    versions: Mapping[str, str] = field(default_factory=dict)
    """Of the service and of what it ran on."""

    @property
    def anchors(self) -> Anchors:
        """The raw scores that are normalised to 0 and 1."""
        return Anchors(self.starting.raw, self.reference.raw)


class CalibrationStore:
    """Calibrations as JSON files in a folder, which is made when the first one is saved."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def path(self, environment: str, profile: str, fingerprint: str) -> Path:
        """Where the calibration of a device is, or would be."""
        digest = hashlib.sha256(fingerprint.encode()).hexdigest()[:16]
        return self._folder / f"{environment}.{profile}.{digest}.json"

    def load(self, environment: str, profile: str, fingerprint: str) -> Calibration | None:
        """The calibration of a device; None where there is none. A damaged file is logged and ignored."""
        path = self.path(environment, profile, fingerprint)
        try:
            found = _from_json(json.loads(path.read_text(encoding="utf-8")))
        except FileNotFoundError:
            return None
        except (OSError, ValueError, TypeError, KeyError) as error:
            log.error(
                "calibration %s is damaged (%s: %s) and ignored; measure it again with `scorer calibrate %s`",
                path,
                type(error).__name__,
                error,
                environment,
            )
            return None
        if (found.environment, found.profile, found.fingerprint) != (environment, profile, fingerprint):
            log.error("calibration %s is of another device or profile and ignored", path)
            return None
        return found

    def save(self, calibration: Calibration) -> Path:
        """Write it, whole or not at all, in place of an older one. Raises OSError."""
        path = self.path(calibration.environment, calibration.profile, calibration.fingerprint)
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        document = {"format": _FORMAT, **dataclasses.asdict(calibration)}
        with whole_file(path, mode=0o600) as file:
            file.write(f"{json.dumps(document, indent=1, allow_nan=False)}\n".encode())
        return path


def _from_json(document: Any) -> Calibration:
    """Raises ValueError, TypeError or KeyError for what is no calibration of this format."""
    if not isinstance(document, dict):
        raise TypeError("it is no JSON object")
    members = dict(document)
    if members.pop("format") != _FORMAT:
        raise ValueError(f"its format is {document['format']!r}, not {_FORMAT}")
    for name in ("environment", "profile", "device", "fingerprint", "measured_at"):
        if not isinstance(members[name], str):
            raise TypeError(f"{name} is not text")
    for name in ("starting", "reference"):
        members[name] = MeasuredScore(**_finite(name, members[name]))
    members["quantities"] = _finite("quantities", members["quantities"])
    members["versions"] = {key: str(value) for key, value in dict(members["versions"]).items()}
    calibration = Calibration(**members)
    if calibration.starting.raw == calibration.reference.raw:
        raise ValueError("starting and reference solution have the same score")
    return calibration


def _finite(name: str, numbers: Any) -> dict[str, float]:
    if not isinstance(numbers, dict):
        raise TypeError(f"{name} is no JSON object")
    for key, value in numbers.items():
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            raise ValueError(f"{key} of {name} is {value!r}, not a number")
    return {key: float(value) for key, value in numbers.items()}
