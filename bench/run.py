"""Measures speed as ratios within one run, prints a table and writes JSON beside it."""

import json
import os
import platform
import sys
import time
from pathlib import Path

import artifacts
import kernels
import sandbox
import service
from measurement import Measurement, table

RESULTS = Path(__file__).parent / "results"


def main() -> int:
    """Run every measurement; the exit status does not depend on them, since machines differ."""
    measurements: list[Measurement] = []
    for module in (sandbox, service, artifacts, kernels):
        for measurement in module.measure():
            print(f"{measurement.name}: {measurement.value:.3g} {measurement.unit}", flush=True)
            measurements.append(measurement)
    print(f"\n{table(measurements)}")
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / time.strftime("%Y-%m-%dT%H-%M-%S.json")
    document = {
        "machine": {
            "cores": len(os.sched_getaffinity(0)),
            "kernel": platform.release(),
            "python": sys.version,
        },
        "measurements": [measurement.as_json() for measurement in measurements],
    }
    path.write_text(json.dumps(document, indent=2) + "\n")
    print(f"\nWritten to {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
