"""Measures speed as ratios within one run, prints each beside its goal and writes them as JSON.

`bench/run.py` runs everything, `bench/run.py SECTION...` the sections named.
"""

import argparse
import json
import os
import platform
import sys
import time
import traceback
from pathlib import Path

import artifacts
import kernels
import models
import overload
import sandbox
import service
import waiting
from measurement import HEADER, Measurement

RESULTS = Path(__file__).parent / "results"
SECTIONS = {
    "sandbox": sandbox.measure,
    "service": service.measure,
    "artifacts": artifacts.measure,
    "kernels": kernels.measure,
    "models": models.measure,
    "overload": overload.measure,
    "waiting": waiting.measure,
}


def main() -> int:
    """Run what is asked for; 1 where a section failed. A missed goal is no failure, since machines differ."""
    parser = argparse.ArgumentParser(description="Measure speed as ratios beside their goals.")
    parser.add_argument(
        "sections", nargs="*", metavar="SECTION", help=f"of {', '.join(SECTIONS)}; default: all"
    )
    chosen = parser.parse_args().sections or list(SECTIONS)
    unknown = [name for name in chosen if name not in SECTIONS]
    if unknown:
        parser.error(f"there is no section {', '.join(unknown)}; choose of {', '.join(SECTIONS)}")
    load = os.getloadavg()[0]
    measurements: list[Measurement] = []
    print(HEADER, flush=True)
    failed: list[str] = []
    for name in chosen:
        before = len(measurements)
        try:
            for measurement in SECTIONS[name]():
                print(measurement.row, flush=True)
                measurements.append(measurement)
        except Exception:
            # What was measured counts all the same, and takes minutes to measure again.
            traceback.print_exc()
            failed.append(name)
            continue
        if len(measurements) == before:
            print(f"section {name}: not measured, there is no interpreter with torch", flush=True)
    missed = sum(not measurement.reached for measurement in measurements)
    print(f"\n{len(measurements) - missed} of {len(measurements)} goals reached, {missed} missed")
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / time.strftime("%Y-%m-%dT%H-%M-%S.json")
    document = {
        "machine": {
            "cores": len(os.sched_getaffinity(0)),
            "kernel": platform.release(),
            "python": sys.version,
            "load_before": load,
        },
        "failed": failed,
        "measurements": [measurement.as_json() for measurement in measurements],
    }
    path.write_text(json.dumps(document, indent=2) + "\n")
    if failed:
        print(f"Sections that failed: {', '.join(failed)}; their errors are above")
    print(f"Load before: {load:.1f} on {os.cpu_count()} cores. Written to {path}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
