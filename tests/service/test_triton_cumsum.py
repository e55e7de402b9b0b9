"""Kernels through the client and a real server, on this machine's CPU: every verdict and what follows it."""

import json
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from scorer_client import InvalidRequest, JobCancelled, JobState, ScorerError, TritonCumsumResult, Verdict
from server_process import BIN, ServerProcess, server_environment

from scorer_service.sandbox import python_toolchain
from scorer_service.sandbox.toolchain import ToolchainError

# Hanging submissions would take the real limits, minutes.
SHORT_LIMITS = """
import sys
from scorer_service.environments.triton_cumsum import profiles
profiles.PHASE_LIMITS = profiles.PhaseLimits(load_s=5, public_s=20, hidden_s=10, measure_s=10)
profiles.MEMORY_LIMIT_BYTES = 1 << 30
from scorer_service.main import main
sys.exit(main())
"""
OPTIONS = ("--environments", "triton_cumsum", "--device", "cpu", "--canary-minutes", "0")
UNSTABLE_TRIES = 4


def _missing() -> str:
    try:
        python_toolchain.load(python_toolchain.default_python())
    except ToolchainError as error:
        return str(error)
    return ""


pytestmark = [
    pytest.mark.skipif(bool(_missing()), reason=f"there is no Python with torch: {_missing()}"),
    # The server takes every core to measure, and others who work make its measurements vary.
    pytest.mark.alone,
]

HONEST = """
import torch

def prefix_sum(x):
    positive = (x > 0).to(torch.int32)
    before = torch.cumsum(positive, 0, dtype=torch.int32) - positive
    return torch.cumsum(x * (before & 1), 0, dtype=torch.int32)
"""
# Public inputs are some sixty calls, hidden ones and warm-ups as many. In one of them; while it is timed:
COUNTING = f"""
import os, signal, time
{HONEST.replace("def prefix_sum", "def honest")}
calls = 0
def prefix_sum(x):
    global calls
    calls += 1
    if calls > AFTER:
        DO
    return honest(x)
"""
IN_HIDDEN, IN_TRIALS = 70, 125


def counting(after: int, do: str) -> str:
    return COUNTING.replace("AFTER", str(after)).replace("DO", do)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """A server without a calibration."""
    running = ServerProcess(
        tmp_path_factory.mktemp("triton"),
        *OPTIONS,
        wrap=lambda command: [sys.executable, "-c", SHORT_LIMITS, *command[command.index("serve") :]],
    )
    running.start()
    yield running
    assert running.stop() == 0, running.log.read_text()


def score(server: ServerProcess, source: str) -> TritonCumsumResult:
    """Again where the machine was too busy to measure: that is nobody's doing."""
    with server.client() as client:
        for _ in range(UNSTABLE_TRIES):
            result = client.score_triton_cumsum(source)
            if result.verdict is not Verdict.UNSTABLE:
                break
    return result


def test_an_honest_kernel_is_scored_raw_where_nothing_is_calibrated(server: ServerProcess) -> None:
    result = score(server, HONEST)
    assert result.verdict is Verdict.SCORED, result
    assert result.score is not None
    assert result.score.normalized is None
    assert "scorer calibrate triton_cumsum" in result.summary
    assert result.timing is not None
    assert 0 < result.timing.lower_ms <= result.timing.median_ms <= result.timing.upper_ms < 100
    assert result.timing.trial_count >= 30
    assert abs(result.timing.element_count - 65_536) <= 66
    assert result.compile_time is not None
    assert (result.device, result.diagnostics, result.profile) == ("cpu", "", "embedded")
    with server.client() as client:
        (environment,) = (one for one in client.environments() if one.name == "triton_cumsum")
    assert environment.anchors is None
    assert "scorer calibrate triton_cumsum" in environment.description


def test_a_wrong_public_output_is_shown(server: ServerProcess) -> None:
    result = score(server, HONEST.replace(" - positive", ""))
    assert (result.verdict, result.score, result.timing) == (Verdict.INCORRECT, None, None)
    assert "element" in result.diagnostics
    assert "expected" in result.diagnostics


def test_a_wrong_dtype_is_named(server: ServerProcess) -> None:
    result = score(server, HONEST.replace("* (before & 1), 0, dtype=torch.int32", "* (before & 1), 0"))
    assert result.verdict is Verdict.INCORRECT
    assert "torch.int64" in result.diagnostics


@pytest.mark.parametrize("after", [IN_HIDDEN, IN_TRIALS])
def test_of_a_wrong_hidden_output_nothing_is_told(server: ServerProcess, after: int) -> None:
    result = score(server, counting(after, "return x"))
    assert (result.verdict, result.diagnostics, result.timing) == (Verdict.INCORRECT, "", None)
    assert result.summary == "An output for a hidden input was not right."


COMPILE_ERROR = """
import torch, triton
import triton.language as tl

@triton.jit
def kernel(x, out, size: tl.constexpr):
    at = tl.arange(0, size)
    tl.store(out + at, tl.no_such_function(x))

def prefix_sum(x):
    out = torch.empty_like(x)
    kernel[(1,)](x, out, 4)
    return out
"""


def test_a_compile_error_of_triton_names_its_line(server: ServerProcess) -> None:
    result = score(server, COMPILE_ERROR)
    assert result.verdict is Verdict.BUILD_ERROR
    assert 'solution.py", line 8' in result.diagnostics
    assert "no_such_function" in result.diagnostics
    assert "/runner/" not in result.diagnostics


@pytest.mark.parametrize(
    ("source", "words"),
    [("def prefix_sum(x:\n", "SyntaxError"), ("x = 1\n", "prefix_sum"), ("import numpyy\n", "numpyy")],
)
def test_what_cannot_be_imported_is_a_build_error(server: ServerProcess, source: str, words: str) -> None:
    result = score(server, source)
    assert result.verdict is Verdict.BUILD_ERROR
    assert words in result.diagnostics


PUBLIC_ENDS = {
    "longer than 5 s while it was imported": "while True: pass",
    "longer than 20 s on the public inputs": "import time\ndef prefix_sum(x): time.sleep(1000)",
    # In a call, since its limit gives a busy machine more time to fill the memory than that of an import.
    "passed the memory limit": "import torch\ndef prefix_sum(x): [torch.ones(1 << 26) for _ in range(99)]",
    "exit code 7": "import os\nos._exit(7)",
    "signal 11": "import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)",
    "signal 9": "import os\ndef prefix_sum(x): os.kill(os.getpid(), 9)",
}


@pytest.mark.parametrize("words", PUBLIC_ENDS)
def test_a_limit_or_a_crash_is_named_and_the_next_is_unaffected(server: ServerProcess, words: str) -> None:
    result = score(server, PUBLIC_ENDS[words])
    assert result.verdict is Verdict.LIMIT_OR_CRASH, result
    assert words in result.summary
    assert score(server, HONEST).verdict is Verdict.SCORED


@pytest.mark.parametrize("after", [IN_HIDDEN, IN_TRIALS])
@pytest.mark.parametrize("do", ["os._exit(7)", "os.kill(os.getpid(), 10)", "time.sleep(1000)"])
def test_all_ends_on_hidden_inputs_look_the_same(server: ServerProcess, after: int, do: str) -> None:
    result = score(server, counting(after, do))
    assert result.verdict is Verdict.LIMIT_OR_CRASH
    assert result.summary == "It crashed or passed a limit on hidden inputs."
    assert result.diagnostics == ""


KILLS_ALL_IT_SEES = """
import os, signal
for pid in (os.getppid(), 1, *range(2, 5000)):
    if pid != os.getpid():
        try:
            os.kill(pid, signal.SIGKILL)
        except OSError:
            pass
"""


def test_one_that_kills_its_runner_harms_itself_at_most(server: ServerProcess) -> None:
    result = score(server, KILLS_ALL_IT_SEES + HONEST)
    assert result.verdict in (Verdict.SCORED, Verdict.LIMIT_OR_CRASH)
    assert score(server, HONEST).verdict is Verdict.SCORED


def test_a_cancelled_job_frees_the_device_at_once(server: ServerProcess) -> None:
    request_id = str(uuid.uuid4())
    with ThreadPoolExecutor(1) as pool, server.client() as client:
        answer = pool.submit(
            client.score_triton_cumsum, counting(IN_TRIALS, "time.sleep(1000)"), request_id=request_id
        )
        wait_for_trials(server, request_id)
        assert client.cancel(request_id).state is JobState.CANCELLED
        with pytest.raises(JobCancelled):
            answer.result(timeout=30)
    assert score(server, HONEST).verdict is Verdict.SCORED


def worker_pid(server: ServerProcess) -> int:
    assert server.process is not None
    for thread in Path(f"/proc/{server.process.pid}/task").iterdir():
        for child in (thread / "children").read_text().split():
            if b"scorer_service.worker.main" in Path(f"/proc/{child}/cmdline").read_bytes():
                return int(child)
    raise AssertionError("the server has no worker")


def test_a_job_whose_worker_is_killed_in_a_trial_is_scored_by_the_next_worker(
    server: ServerProcess,
) -> None:
    slow = HONEST.replace("import torch\n", "import torch, time\n").replace(
        "    positive", "    time.sleep(0.05)\n    positive", 1
    )
    request_id = str(uuid.uuid4())
    first = worker_pid(server)
    with ThreadPoolExecutor(1) as pool, server.client() as client:
        answer = pool.submit(client.score_triton_cumsum, slow, request_id=request_id)
        wait_for_trials(server, request_id)
        subprocess.run(["kill", "-9", str(first)], check=True)
        result = answer.result(timeout=300)
        job = client.get_job(request_id)
    assert result.verdict in (Verdict.SCORED, Verdict.UNSTABLE)
    assert job.delivery_count == 2
    assert worker_pid(server) != first
    assert score(server, HONEST).verdict is Verdict.SCORED


def wait_for_trials(server: ServerProcess, request_id: str) -> None:
    """Until the job is measured: three of its four phases are done."""
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        try:
            with server.client() as client:
                for job in client.watch(request_id):
                    if job.stage == "measure" and job.progress.done == 3:
                        return
                    assert job.state in (JobState.QUEUED, JobState.RUNNING)
        except ScorerError as error:
            if error.reason != "JOB_NOT_FOUND":
                raise
    raise AssertionError("it was never measured")


def test_what_cannot_be_judged_is_refused_before_it_is_queued(server: ServerProcess) -> None:
    with server.client() as client, pytest.raises(InvalidRequest, match="is empty"):
        client.score_triton_cumsum(" ")


def test_the_evaluator_sees_every_sample(server: ServerProcess) -> None:
    with server.client() as client:
        created = client.create_attempt("triton_cumsum")
        result = client.score_triton_cumsum(HONEST, attempt_id=created.attempt.attempt_id)
    with server.client(created.evaluator_key) as client:
        (entry,) = client.list_scores(created.attempt.attempt_id)
    details = json.loads(entry.evaluator_details_json or "{}")
    assert result.timing is not None
    assert sum(map(len, details["samples_ns"])) == result.timing.trial_count
    assert min(min(samples) for samples in details["samples_ns"]) > details["floor_ns"] > 0
    assert "torch" in details["device"]["fingerprint"]


def test_a_starter_checks_itself_and_is_scored(server: ServerProcess, tmp_path: Path) -> None:
    task = tmp_path / "task"
    with server.client() as client:
        client.starter("triton_cumsum", task)
    python = python_toolchain.default_python()
    checked = subprocess.run([python, "check.py"], capture_output=True, text=True, cwd=task, check=False)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    result = score(server, (task / "solution.py").read_text())
    assert result.verdict is Verdict.SCORED


def scorer(*arguments: object) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [BIN / "scorer", *map(str, arguments)],
        capture_output=True,
        text=True,
        env=server_environment(),
        check=False,
    )


def test_calibrating_beside_a_server_is_refused_with_the_way_out(server: ServerProcess) -> None:
    ended = scorer("calibrate", "triton_cumsum", "--state-dir", server.state_dir)
    assert ended.returncode == 1
    assert "stop it, or choose another folder" in ended.stderr
    assert not (server.state_dir / "calibration").exists()


def test_after_a_calibration_the_starting_solution_is_about_0_and_the_reference_about_1(
    tmp_path: Path,
) -> None:
    from scorer_service.environments.triton_cumsum import environment

    folder = Path(environment.__file__).parent
    calibrated = ServerProcess(tmp_path / "server", *OPTIONS)
    for _ in range(UNSTABLE_TRIES):
        ended = scorer("calibrate", "triton_cumsum", "--json", "--state-dir", calibrated.state_dir)
        if ended.returncode == 0:
            break
    assert ended.returncode == 0, ended.stderr
    document = json.loads(ended.stdout)
    assert document["reference"]["raw"] < document["starting"]["raw"]
    assert document["quantities"]["copy_bytes_per_s"] > 1e8
    assert Path(document["path"]).is_file()
    calibrated.start()
    try:
        starting = score(calibrated, (folder / "starter_files" / "solution.py").read_text())
        reference = score(calibrated, (folder / "reference" / "torch_scan.py").read_text())
    finally:
        assert calibrated.stop() == 0, calibrated.log.read_text()
    assert starting.score is not None
    assert starting.score.normalized is not None
    assert reference.score is not None
    assert reference.score.normalized is not None
    # Wide, for a machine on which others work too.
    assert starting.score.normalized < 0.5 < reference.score.normalized < 2
    assert "raw only" not in reference.summary
