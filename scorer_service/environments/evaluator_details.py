"""What an evaluator is told of every scoring, beside what a submission came to."""

from typing import Any

from scorer_service.calibration.store import Calibration
from scorer_service.worker.device_info import DeviceInfo


def of_scoring(
    profile: str, isolation: str, device: DeviceInfo, calibration: Calibration | None
) -> dict[str, Any]:
    """JSON types only."""
    return {
        "profile": profile,
        "isolation": isolation,
        "device": {
            "kind": device.kind,
            "name": device.name,
            "fingerprint": device.fingerprint,
            "torch": device.torch_version,
            "triton": device.triton_version,
            "memory_bytes": device.memory_bytes,
        },
        "calibration": None
        if calibration is None
        else {
            "measured_at": calibration.measured_at,
            "starting_raw": calibration.starting.raw,
            "reference_raw": calibration.reference.raw,
            **calibration.quantities,
        },
    }
