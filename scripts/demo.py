"""The main job, start to end: calibration, server, submissions over gRPC, verdicts, metrics, a clean stop."""

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import demo_submissions
from demo_submissions import Submission
from scorer_client import ScorerClient, ScorerError

from scorer_service.environments.discovery import environment_names

ROOT = Path(__file__).parent.parent
BIN = Path(sys.executable).parent
STATE = ROOT / ".demo"
START_LIMIT_S = 180
UNSTABLE_TRIES = 3
HIDDEN_WINDOWS = 192
"""Of the 2,824 that models are judged on: enough to tell these from each other."""
SETTINGS = (
    "--profile",
    "embedded",
    "--state-dir",
    str(STATE / "state"),
    "--hidden-windows",
    str(HIDDEN_WINDOWS),
)


def main() -> int:
    """Run the demo; the exit status says whether every part of it worked."""
    rpc, metrics = f"127.0.0.1:{free_port()}", f"127.0.0.1:{free_port()}"
    STATE.mkdir(exist_ok=True, mode=0o700)
    names = environment_names()
    for name in names:
        if name != "rust_codecontests":  # whose anchors are the same everywhere
            calibrate(name)
    say(f"Starting the server (its log: {STATE.name}/server.log)")
    with server(rpc, metrics), tempfile.TemporaryDirectory() as scratch:
        wait_until_serving(rpc, names)
        scored = [(one, score(rpc, one, Path(scratch))) for one in demo_submissions.triton()]
        hanging = demo_submissions.hanging()
        say("Sending a solution of triton_cumsum that hangs; its limit runs out beside what follows")
        with begin(rpc, hanging, Path(scratch)) as process:
            scored += [(one, score(rpc, one, Path(scratch))) for one in demo_submissions.rust()]
            say("Waiting for the one that hangs")
            scored.append((hanging, json.loads(process.communicate()[0])))
            print(f"{scored[-1][1]['verdict']}: {scored[-1][1]['summary']}")
        scored += [(one, score(rpc, one, Path(scratch))) for one in demo_submissions.restricted_mlm()]
        repaired = demo_submissions.fix_embedding(starter(rpc, "fix_embedding", Path(scratch)))
        scored += [(one, score(rpc, one, Path(scratch))) for one in repaired]
        say("Scores")
        print_scores(scored)
        say(f"Metrics are at http://{metrics}/metrics while the server runs; some of them:")
        print_metrics(metrics)
        say("Stopping the server")
    say(
        "Done. To go on: scorer serve, and in another terminal scorer-client environments (both in .venv/bin)"
    )
    return 0


def calibrate(name: str) -> None:
    """Measure what 0 and 1 mean on this device, once. Scores are raw only where that does not succeed."""
    # Another torch makes another device of it.
    torch_installed = ROOT / ".venv-torch" / ".ready"
    oldest_good_s = torch_installed.stat().st_mtime if torch_installed.exists() else 0.0
    stored = (STATE / "state" / "calibration").glob(f"{name}.embedded.*.json")
    if any(path.stat().st_mtime > oldest_good_s for path in stored):
        return
    say(f"Calibrating {name} on this device (once; kept in .demo)")
    command: list[str | Path] = [BIN / "scorer", "calibrate", name, "--log-level", "warning"]
    command += SETTINGS
    for _ in range(UNSTABLE_TRIES):
        if subprocess.run(command, env=clean_environment(), cwd=STATE, check=False).returncode == 0:
            return
    print(f"Not calibrated: scores of {name} will be raw only.")


def score(rpc: str, submission: Submission, scratch: Path) -> Mapping[str, Any]:
    """Score it as a person would, then ask for the stored result. Again where the machine was too busy."""
    say(f"Scoring {submission.name} ({submission.environment}): {submission.about}")
    result: Mapping[str, Any] = {}
    for _ in range(UNSTABLE_TRIES):
        command = score_command(rpc, submission, scratch)
        subprocess.run(command, check=False)
        # Asked again with the same request id, the service answers with the stored result.
        stored = subprocess.run([*command, "--json"], stdout=subprocess.PIPE, check=False)
        result = json.loads(stored.stdout)
        if result["verdict"] != "unstable":
            break
        print("The machine was too busy to measure it.")
    return result


@contextmanager
def begin(rpc: str, submission: Submission, scratch: Path) -> "Iterator[subprocess.Popen[bytes]]":
    """Score it beside what follows; its output is the result as JSON."""
    command = [*score_command(rpc, submission, scratch), "--json"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def score_command(rpc: str, submission: Submission, scratch: Path) -> Sequence[str | Path]:
    """The command line that scores it, with a request id of its own."""
    folder = scratch / submission.environment / submission.name.replace(" ", "-")
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in submission.files.items():
        (folder / name).write_text(content)
    command: list[str | Path] = [BIN / "scorer-client", "--server", rpc, "score", submission.environment]
    return [*command, *submission.command(folder), "--request-id", str(uuid.uuid4())]


def starter(rpc: str, name: str, scratch: Path) -> Path:
    """What an agent starts from."""
    folder = scratch / "starters" / name
    folder.parent.mkdir(exist_ok=True)
    subprocess.run([BIN / "scorer-client", "--server", rpc, "starter", name, folder], check=True)
    return folder


@contextmanager
def server(rpc: str, metrics: str) -> Iterator[None]:
    """A server that is stopped by SIGTERM, and must stop cleanly."""
    command: list[str | Path] = [BIN / "scorer", "serve", "--listen", rpc, "--metrics-listen", metrics]
    command += SETTINGS
    with (STATE / "server.log").open("w") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, env=clean_environment(), cwd=STATE)
    try:
        yield
    finally:
        process.send_signal(signal.SIGTERM)
        status = process.wait(timeout=60)
    if status:
        sys.exit(f"The server ended with status {status}:\n{(STATE / 'server.log').read_text()}")


def clean_environment() -> dict[str, str]:
    """Without settings of another server."""
    return {name: value for name, value in os.environ.items() if not name.startswith("SCORER_")}


def wait_until_serving(rpc: str, names: Sequence[str]) -> None:
    """Ask until the environments serve, or say why one does not."""
    deadline = time.monotonic() + START_LIMIT_S
    missing: dict[str, str] = dict.fromkeys(names, "")
    while time.monotonic() < deadline:
        try:
            with ScorerClient(rpc) as client:
                for environment in client.environments():
                    if environment.name in missing:
                        missing[environment.name] = environment.not_serving_reason
                        if environment.serving:
                            del missing[environment.name]
        except ScorerError as error:
            missing = dict.fromkeys(missing, str(error))
        if not missing:
            return
        time.sleep(0.1)
    reasons = "; ".join(f"{name}: {reason}" for name, reason in missing.items())
    sys.exit(f"The server does not serve {reasons}\n{(STATE / 'server.log').read_text()}")


def print_scores(scored: Sequence[tuple[Submission, Mapping[str, Any]]]) -> None:
    """The last table."""
    print(f"  {'environment':<18} {'submission':<15} {'verdict':<15} {'raw':>8} {'normalised':>11}  measured")
    for submission, result in scored:
        found = result["score"] or {}
        raw, normalized = (
            "-" if found.get(key) is None else f"{found[key]:.4f}" for key in ("raw", "normalized")
        )
        print(
            f"  {submission.environment:<18} {submission.name:<15} {result['verdict']:<15}"
            f" {raw:>8} {normalized:>11}  {measured(result)}".rstrip()
        )


def measured(result: Mapping[str, Any]) -> str:
    """What the raw score was made from."""
    loss = result.get("loss")
    if loss:
        return f"{loss['mean_nats']:.4f} nats a token (standard error {loss['standard_error_nats']:.4f})"
    if refused := result.get("refused_operators"):
        return f"refused: {', '.join(sorted({one['operator'] for one in refused}))}"
    timing = result.get("timing")
    if timing:
        return f"{timing['median_ms']:.4g} ms ({timing['lower_ms']:.4g} to {timing['upper_ms']:.4g})"
    return f"{result['solved_count']} of {result['problem_count']} solved" if "solved_count" in result else ""


def print_metrics(address: str) -> None:
    """The counters that the demo moved."""
    with urllib.request.urlopen(f"http://{address}/metrics") as response:
        for line in response.read().decode().splitlines():
            if line.startswith(
                ("scorer_jobs_judged_total", "scorer_stage_seconds_sum", "scorer_stage_seconds_count")
            ):
                print(f"  {line}")


def free_port() -> int:
    """A port that is free now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def say(text: str) -> None:
    """A heading."""
    print(f"\n== {text}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
