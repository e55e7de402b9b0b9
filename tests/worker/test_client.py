"""Calls to a worker, and its death."""

import asyncio
import contextlib
import gc
import json
import logging
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from scorer_service.logs import context as log_context
from scorer_service.logs.formats import JsonFormat
from scorer_service.worker import client

ECHO = "scorer_service.worker.diagnosis:echo"


def operation(name: str) -> str:
    return f"tests.worker.operations:{name}"


async def begun(worker: client.Worker, descriptor: int) -> "asyncio.Task[object]":
    """A call that runs until the other end of `descriptor` is closed, and has begun."""
    started = asyncio.Event()
    call = worker.call(
        operation("wait_for_end"), {}, descriptors=[descriptor], progress=lambda *_: started.set()
    )
    task = asyncio.create_task(call)
    await asyncio.wait([task, asyncio.create_task(started.wait())], return_when=asyncio.FIRST_COMPLETED)
    return task


async def test_answers_and_reports_progress(worker: client.Worker) -> None:
    seen: list[tuple[int, int, str]] = []
    answer = await worker.call(
        ECHO, {"text": "ü", "list": [1, 2.5, None]}, progress=lambda *told: seen.append(told)
    )
    assert answer == {"arguments": {"text": "ü", "list": [1, 2.5, None]}, "descriptors": 0}
    assert seen == [(1, 1, "echoes")]


async def test_says_what_the_device_is(worker: client.Worker) -> None:
    device = worker.device
    assert (device.kind, device.name) == ("cpu", "cpu")
    assert device.torch_version in device.fingerprint
    assert device.triton_version in device.fingerprint
    assert device.memory_bytes == os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


async def test_descriptors_arrive_in_order_and_stay_the_callers(worker: client.Worker) -> None:
    pipes = [os.pipe() for _ in range(3)]
    for number, (_, writing) in enumerate(pipes):
        os.write(writing, f"pipe {number}".encode())
        os.close(writing)
    reading = [pipe[0] for pipe in pipes]
    assert await worker.call(operation("read_all"), {}, descriptors=reading) == ["pipe 0", "pipe 1", "pipe 2"]
    for descriptor in reading:
        os.close(descriptor)  # still open here


async def test_the_worker_keeps_no_descriptor_after_the_call(worker: client.Worker) -> None:
    reading, writing = os.pipe()
    await worker.call(ECHO, {}, descriptors=[reading])
    os.close(reading)
    with pytest.raises(BrokenPipeError):
        os.write(writing, b"nobody reads")
    os.close(writing)


async def test_calls_run_beside_each_other(worker: client.Worker) -> None:
    reading, writing = os.pipe()
    waiting = await begun(worker, reading)
    assert (await worker.call(ECHO, {}))["descriptors"] == 0
    assert not waiting.done()
    os.write(writing, b"x")
    assert await waiting == "x"
    os.close(reading)
    os.close(writing)


async def test_sessions_last_from_call_to_call(worker: client.Worker) -> None:
    await worker.call(operation("remember"), {"key": "a"})
    assert await worker.call(operation("remember"), {"key": "b"}) == ["a", "b"]


async def test_the_log_has_the_traceback_of_an_operation_in_one_line_with_its_job(
    worker: client.Worker, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.handler.setFormatter(JsonFormat())
    with log_context.bound(job_id="job-1"), pytest.raises(client.OperationFailed):
        await worker.call(operation("refuse"), {"what": "cake"})
    line = json.loads(caplog.text)
    assert line["job_id"] == "job-1"
    assert line["exception"].startswith("Traceback")
    assert line["exception"].endswith("ValueError: no cake today")


async def test_an_error_of_an_operation_is_told_and_harms_nothing(worker: client.Worker) -> None:
    with pytest.raises(client.OperationFailed, match="ValueError: \U0001f370\U0001f370"):
        await worker.call(operation("refuse_at_length"), {})
    with pytest.raises(client.OperationFailed, match="ValueError: no cake today"):
        await worker.call(operation("refuse"), {"what": "cake"})
    with pytest.raises(client.OperationFailed, match="has no attribute"):
        await worker.call(operation("no_such_operation"), {})
    with pytest.raises(client.OperationFailed, match="over the limit"):
        await worker.call(operation("enormous"), {})
    with pytest.raises(client.OperationFailed, match="not JSON compliant"):
        await worker.call(operation("not_a_number"), {})
    assert worker.restarts == 0


async def test_a_killed_worker_loses_its_calls_and_the_next_one_serves(worker: client.Worker) -> None:
    reading, writing = os.pipe()
    await worker.call(operation("remember"), {"key": "old"})
    first = await begun(worker, reading)
    second = await begun(worker, reading)
    pid = worker.pid
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    for lost in (first, second):
        with pytest.raises(client.WorkerLost):
            await lost
    assert await worker.call(operation("remember"), {"key": "new"}) == ["new"]
    assert worker.restarts == 1
    assert worker.pid != pid
    os.close(reading)
    os.close(writing)


async def test_a_worker_killed_while_it_starts_again_is_started_once_more(
    torch_python: Path, tmp_path: Path
) -> None:
    # An interpreter that says who it is and stands still at its start, while there is a pipe to say it by.
    python, pipe = tmp_path / "python", tmp_path / "python.pipe"
    python.write_text(
        '#!/bin/sh\nif [ -e "$0.pipe" ]; then echo $$ > "$0.pipe"; exec sleep 600; fi\n'
        f'exec {torch_python} "$@"\n'
    )
    python.chmod(0o755)
    worker = client.Worker(python, "cpu")
    await worker.start()
    try:
        killed = worker.pid
        assert killed is not None
        os.mkfifo(pipe)
        os.kill(killed, signal.SIGKILL)
        with await asyncio.to_thread(pipe.open) as told:
            starting = int(told.readline())
        pipe.unlink()
        call = asyncio.create_task(worker.call(ECHO, {}))
        os.kill(starting, signal.SIGKILL)
        assert (await call)["descriptors"] == 0
        assert worker.pid not in (killed, starting)
    finally:
        await worker.close()


async def test_a_worker_that_ends_itself_is_started_again(worker: client.Worker) -> None:
    for _ in range(2):
        with pytest.raises(client.WorkerLost):
            await worker.call(operation("end"), {})
        assert (await worker.call(ECHO, {}))["descriptors"] == 0
    assert worker.restarts == 2


async def test_a_cancelled_call_harms_no_other(worker: client.Worker) -> None:
    reading, writing = os.pipe()
    cancelled = await begun(worker, reading)
    cancelled.cancel()
    with pytest.raises(asyncio.CancelledError):
        await cancelled
    os.write(writing, b"x")
    assert (await worker.call(ECHO, {}))["descriptors"] == 0
    os.close(reading)
    os.close(writing)


async def test_a_closed_worker_is_gone(torch_python: Path) -> None:
    worker = client.Worker(torch_python, "cpu")
    await worker.start()
    reading, writing = os.pipe()
    waiting = await begun(worker, reading)
    pid = worker.pid
    assert pid is not None
    await worker.close()
    await worker.close()
    with pytest.raises(client.WorkerLost):
        await waiting
    with pytest.raises(client.WorkerUnavailable, match="closed"):
        await worker.call(ECHO, {})
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    os.close(reading)
    os.close(writing)


async def test_the_worker_ends_with_its_server(torch_python: Path, repository: Path) -> None:
    server = await asyncio.create_subprocess_exec(
        *(sys.executable, str(repository / "tests/worker/dying_server.py"), str(torch_python)),
        stdout=asyncio.subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": str(repository)},
    )
    assert server.stdout is not None
    pid = int(await server.stdout.readline())
    process = os.pidfd_open(pid)
    server.kill()
    await server.wait()
    ended = asyncio.Event()
    asyncio.get_running_loop().add_reader(process, ended.set)
    try:
        await asyncio.wait_for(ended.wait(), 30)
    finally:
        asyncio.get_running_loop().remove_reader(process)
        os.close(process)


async def test_what_the_worker_prints_is_logged_line_by_line(
    worker: client.Worker, caplog: pytest.LogCaptureFixture
) -> None:
    logged = asyncio.Event()

    class Seen(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            if "second" in record.getMessage():
                logged.set()

    logger = logging.getLogger("scorer_service.worker.process")
    handler = Seen()
    logger.addHandler(handler)
    try:
        with caplog.at_level(logging.INFO, logger.name):
            await worker.call(operation("say"), {"text": "first"})
            await worker.call(operation("say"), {"text": "second"})
            with pytest.raises(client.WorkerLost):
                await worker.call(operation("end"), {})
            await asyncio.wait_for(logged.wait(), 60)
    finally:
        logger.removeHandler(handler)
    messages = [record.getMessage() for record in caplog.records if record.name == logger.name]
    assert any(message.endswith(": first") for message in messages)


async def test_nothing_around_the_server_adds_modules_or_settings(
    torch_python: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, repository: Path
) -> None:
    (tmp_path / "torch.py").write_text("raise SystemExit('not the real one')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("TRITON_INTERPRET", "1")
    monkeypatch.chdir(tmp_path)
    worker = client.Worker(torch_python, "cpu")
    await worker.start()
    seen = await worker.call(operation("parent"), {})
    await worker.close()
    assert str(tmp_path) not in seen["path"]
    assert seen["path"][-1] == str(repository)
    assert "TRITON_INTERPRET" not in seen["environment"]
    assert "PYTHONPATH" not in seen["environment"]


@pytest.mark.parametrize(
    ("python", "device", "message"),
    [
        (lambda made: made.parent / "missing", "cpu", "make setup"),
        (lambda made: Path(sys.executable), "cpu", "torch"),
        (lambda made: made, "cuda:99", "cuda:99"),
        (lambda made: made, "abacus", "say auto, cpu, cuda or cuda:N"),
    ],
)
async def test_what_is_missing_is_said(
    torch_python: Path, python: Callable[[Path], Path], device: str, message: str
) -> None:
    worker = client.Worker(python(torch_python), device)
    with pytest.raises(client.WorkerUnavailable, match=message):
        await worker.start()
    with pytest.raises(client.WorkerUnavailable):
        await worker.call(ECHO, {})
    await worker.close()


def descriptor_count() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


async def test_a_start_that_is_called_off_leaves_no_descriptor(torch_python: Path) -> None:
    """At whatever moment; a socket that is left is a warning, which is an error here."""
    before = descriptor_count()
    for steps in range(6):
        worker = client.Worker(torch_python, "cpu")
        starting = asyncio.create_task(worker.start())
        for _ in range(steps):
            await asyncio.sleep(0)
        starting.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await starting
        await worker.close()
    gc.collect()
    assert descriptor_count() <= before
