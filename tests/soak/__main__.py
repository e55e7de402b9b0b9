"""Soaks a server: load and deaths for a time, then a look at all that must hold (docs/design/soak.md)."""

import argparse
import dataclasses
import random
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from scorer_client import ScorerClient

from scorer_service.environments.discovery import environment_names
from tests.soak import catalog, disturbances, remains, report, stored_jobs, verification
from tests.soak.catalog import Entry
from tests.soak.disturbances import Disturber, Planned
from tests.soak.load import PATIENCE, Call, Load, Plan
from tests.soak.soaked_server import SoakedServer
from tests.soak.verification import Check, Evidence
from tests.soak.watching import Watch

ALONE_TRIES = 3
"""To score a control without load; a machine that others use too may be too busy."""


@dataclasses.dataclass(frozen=True)
class Options:
    """What was asked for."""

    minutes: float
    seed: int
    environments: tuple[str, ...]
    sandbox: str
    clients: int
    hidden_windows: int
    disturb: tuple[Planned, ...] | None
    calibrate: bool
    report: Path | None
    keep: bool


def main(arguments: Sequence[str] | None = None) -> int:
    """Soak; the exit status says whether everything holds."""
    options = _parse(arguments)
    print(f"seed {options.seed}, {options.minutes:g} minutes, sandbox {options.sandbox}", flush=True)
    remains.adopt_orphans()
    folder = Path(tempfile.mkdtemp(prefix="soak-"))
    failed = True
    try:
        found = _soak(options, folder)
        failed = not all(check.ok for check in found)
    finally:
        if failed or options.keep:
            print(f"state and logs are kept in {folder}")
        else:
            shutil.rmtree(folder)
    print("everything holds" if not failed else "NOT everything holds")
    return int(failed)


def _soak(options: Options, folder: Path) -> list[Check]:
    before = remains.Before.now()
    server = SoakedServer(folder, options.environments, options.sandbox, options.hidden_windows)
    duration_s = 60 * options.minutes
    planned = options.disturb
    if planned is None:
        planned = tuple(disturbances.drawn(options.seed, duration_s))
    disturber, watch = Disturber(server, planned, options.seed), Watch(server)
    try:
        if options.calibrate:
            _say("calibrating")
            for refusal in server.calibrate():
                _say(refusal)
        server.start()
        server.wait_until_serving()
        entries = _entries(server)
        with ScorerClient(server.address, retry_policy=PATIENCE) as client:
            attempts = {name: client.create_attempt(name).attempt.attempt_id for name in server.environments}
        load = Load(server.address, Plan(entries, options.seed), attempts, options.clients)
        _say(f"scoring the controls alone, of {len(entries)} submissions")
        first_calls, alone = _score_alone(load, entries)
        idle_at_first = remains.idle(server)
        _say(f"load by {options.clients} clients, {len(planned)} disturbances")
        stopped_looking = threading.Event()
        with ThreadPoolExecutor(1, thread_name_prefix="watch") as thread:
            looking = thread.submit(watch.run, stopped_looking)
            try:
                load.run(duration_s, disturber.run)
            finally:
                stopped_looking.set()
            looking.result()
        _say("all have their answers; looking at what is left")
        server.wait_until_serving()
        _wait_until_ended(server)
        with ScorerClient(server.address, retry_policy=PATIENCE) as client:
            logs = {one: [entry.job_id for entry in client.list_scores(one)] for one in attempts.values()}
        found = remains.checks_of_idle(server, idle_at_first, watch)
        status = server.stop()
    finally:
        server.kill()
    evidence = Evidence(
        calls=[*first_calls, *load.calls],
        jobs=stored_jobs.all_jobs(server.state_dir),
        logs=logs,
        alone=alone,
        disturbances=disturber.done,
        exposures=disturber.exposures,
        changed=watch.changed,
    )
    found = [
        *verification.checks(evidence),
        _disturbed(disturber),
        *found,
        *remains.checks_of_end(server, before, status),
    ]
    report.print_all(evidence, disturber, watch, found, len(server.pids))
    if options.report is not None:
        settings = {name: str(value) for name, value in dataclasses.asdict(options).items()}
        report.write_json(options.report, settings, evidence, disturber, watch, found)
    return found


def _entries(server: SoakedServer) -> list[Entry]:
    public = server.state_dir / "cache" / "fix_embedding" / "public"
    return [
        entry
        for name in server.environments
        for entry in catalog.entries(
            name, server.places, lambda: (public / "damaged.safetensors").read_bytes()
        )
    ]


def _score_alone(load: Load, entries: Sequence[Entry]) -> tuple[list[Call], dict[tuple[str, str], float]]:
    """Each control for itself. Its calls, and the raw scores."""
    calls: list[Call] = []
    alone: dict[tuple[str, str], float] = {}
    with ScorerClient(load.address, retry_policy=PATIENCE) as client:
        for entry in entries:
            for _ in range(ALONE_TRIES if entry.is_control else 0):
                call = load.plan.waiting(entry)
                calls.append(call)
                load.perform(client, call)
                if call.answer is not None and call.answer.raw is not None:
                    alone[entry.environment, entry.name] = call.answer.raw
                    break
    return calls, alone


def _wait_until_ended(server: SoakedServer) -> None:
    """Jobs that no client waits for: canaries."""
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        if all(job.is_final for job in stored_jobs.all_jobs(server.state_dir).values()):
            return
        time.sleep(0.2)


def _disturbed(disturber: Disturber) -> Check:
    """That all was done which was planned, but for a few."""
    wanted = {planned.kind for planned in disturber.planned}
    missing = wanted - {done.kind for done in disturber.done}
    return Check.of(
        "there were disturbances of each kind",
        [f"{kind}: all were left out" for kind in sorted(missing)],
        len(disturber.planned),
    )


def _say(text: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {text}", flush=True)


def _parse(arguments: Sequence[str] | None) -> Options:
    parser = argparse.ArgumentParser(prog="soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=60.0, help="of load (default: %(default)g)")
    parser.add_argument("--seed", type=int, help="of submissions and disturbances; none: drawn, and printed")
    parser.add_argument("--sandbox", choices=("native", "docker"), default="native")
    parser.add_argument("--environments", default=",".join(environment_names()), help="separated by commas")
    parser.add_argument("--clients", type=int, default=10, help="at once (default: %(default)d)")
    parser.add_argument(
        "--hidden-windows", type=int, default=48, help="of hidden text (default: %(default)d)"
    )
    parser.add_argument(
        "--disturb",
        type=_planned,
        help="KIND@SECONDS,... in place of random ones; server, worker, sandbox, stop",
    )
    parser.add_argument("--no-calibration", action="store_true", help="scores are raw only, and no canaries")
    parser.add_argument("--report", type=Path, help="a file for the report as JSON")
    parser.add_argument("--keep", action="store_true", help="keep state and logs also where everything holds")
    given = parser.parse_args(arguments)
    return Options(
        minutes=given.minutes,
        seed=given.seed if given.seed is not None else random.SystemRandom().randrange(1 << 32),
        environments=tuple(given.environments.split(",")),
        sandbox=given.sandbox,
        clients=given.clients,
        hidden_windows=given.hidden_windows,
        disturb=given.disturb,
        calibrate=not given.no_calibration,
        report=given.report,
        keep=given.keep,
    )


def _planned(text: str) -> tuple[Planned, ...]:
    found = []
    for part in text.split(","):
        kind, _, at_s = part.partition("@")
        if kind not in ("server", "worker", "sandbox", "stop"):
            raise argparse.ArgumentTypeError(f"{kind!r} is none of server, worker, sandbox, stop")
        found.append(Planned(float(at_s), kind))
    return tuple(sorted(found, key=lambda planned: planned.at_s))


if __name__ == "__main__":
    sys.exit(main())
