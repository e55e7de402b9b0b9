"""The main job, start to end: a server, submissions over gRPC, verdicts, metrics, a clean stop."""

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
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from scorer_client import ScorerClient, ScorerError

ROOT = Path(__file__).parent.parent
BIN = Path(sys.executable).parent
ENVIRONMENT = ROOT / "scorer_service" / "environments" / "rust_codecontests"
STATE = ROOT / ".demo"
START_LIMIT_S = 60

DOES_NOT_COMPILE = 'fn main() { let answer: u32 = "forty-two"; println!("{answer}"); }\n'


def main() -> int:
    """Run the demo; the exit status says whether every part of it worked."""
    rpc, metrics = f"127.0.0.1:{free_port()}", f"127.0.0.1:{free_port()}"
    say(f"Starting the server (its log: {STATE.name}/server.log)")
    with server(rpc, metrics), tempfile.TemporaryDirectory() as scratch:
        wait_until_serving(rpc)
        results = {}
        for name, about, programs in submissions():
            say(f"Scoring {name}: {about}")
            folder = Path(scratch) / name
            folder.mkdir()
            for problem_id, source in programs.items():
                (folder / f"{problem_id}.rs").write_text(source)
            command: list[str | Path] = [
                BIN / "scorer-client",
                "--server",
                rpc,
                "score",
                "rust_codecontests",
                folder,
            ]
            command += ["--request-id", str(uuid.uuid4())]
            subprocess.run(command, check=False)
            # Asked again with the same request id, the service answers with the stored result.
            stored = subprocess.run([*command, "--json"], stdout=subprocess.PIPE, check=False)
            results[name] = json.loads(stored.stdout)
        say("Scores")
        print(f"  {'submission':<12} {'verdict':<10} {'raw':>7} {'normalised':>11}")
        for name, result in results.items():
            print_score(name, result)
        say(f"Metrics are at http://{metrics}/metrics while the server runs; some of them:")
        print_metrics(metrics)
        say("Stopping the server")
    say(
        "Done. To go on: scorer serve, and in another terminal scorer-client environments (both in .venv/bin)"
    )
    return 0


def submissions() -> Iterator[tuple[str, str, Mapping[str, str]]]:
    """Name, description and programs of each."""
    reference = {
        row["problem_id"]: row["source"]
        for row in map(json.loads, (ENVIRONMENT / "problem_set" / "reference_submission.jsonl").open())
    }
    yield (
        "starting",
        "programs that read nothing and print nothing",
        dict.fromkeys(reference, "fn main() {}\n"),
    )
    yield "mixed", "some right programs, and one for each way to fail", mixed(reference)
    yield "reference", "the reference solution of every problem", reference


def mixed(reference: Mapping[str, str]) -> Mapping[str, str]:
    """A few right programs, one that does not compile, and one wrong program for each verdict."""
    ids = list(reference)
    programs = {problem_id: reference[problem_id] for problem_id in ids[:4]}
    programs[ids[4]] = DOES_NOT_COMPILE
    verdicts = set()
    for wrong in sorted((ENVIRONMENT / "problems").glob("*/wrong/*.rs")):
        verdict, problem_id = wrong.name.split("__")[0], wrong.parent.parent.name
        if verdict not in verdicts and problem_id not in programs:
            verdicts.add(verdict)
            programs[problem_id] = wrong.read_text()
    return programs


@contextmanager
def server(rpc: str, metrics: str) -> Iterator[None]:
    """A server that is stopped by SIGTERM, and must stop cleanly."""
    STATE.mkdir(exist_ok=True, mode=0o700)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("SCORER_")}
    command: list[str | Path] = [BIN / "scorer", "serve", "--profile", "embedded", "--listen", rpc]
    command += ["--metrics-listen", metrics, "--state-dir", STATE / "state"]
    with (STATE / "server.log").open("w") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, env=environment, cwd=STATE)
    try:
        yield
    finally:
        process.send_signal(signal.SIGTERM)
        status = process.wait(timeout=60)
    if status:
        sys.exit(f"The server ended with status {status}:\n{(STATE / 'server.log').read_text()}")


def wait_until_serving(rpc: str) -> None:
    """Ask until the environment serves, or say why it does not."""
    deadline = time.monotonic() + START_LIMIT_S
    reason = ""
    while time.monotonic() < deadline:
        try:
            with ScorerClient(rpc) as client:
                for environment in client.environments():
                    if environment.name == "rust_codecontests":
                        if environment.serving:
                            return
                        reason = environment.not_serving_reason
        except ScorerError as error:
            reason = str(error)
        time.sleep(0.1)
    sys.exit(f"The server is not serving: {reason}\n{(STATE / 'server.log').read_text()}")


def print_score(name: str, result: Mapping[str, object]) -> None:
    """A line of the last table."""
    score = result["score"]
    raw, normalized = (score["raw"], score["normalized"]) if isinstance(score, dict) else ("-", "-")
    print(f"  {name:<12} {result['verdict']:<10} {raw:>7.4f} {normalized:>11.4f}")


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
