"""Submissions taken through the trials, without a sandbox: what is right, wrong, slow or gone."""

import asyncio
import os
import re
import signal
from pathlib import Path

import pytest

from scorer_service.worker.client import OperationFailed, Worker, WorkerLost
from tests.worker.plain_programs import RIGHT, Open, WarmProcess, open_program

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_a_right_solution_is_right_everywhere_and_timed(opened: Open) -> None:
    program = await opened(RIGHT)
    loaded = await program.ask("load")
    assert loaded["status"] == "ok"
    assert loaded["load_s"] > 0
    checked = await program.ask("check_public")
    assert checked["status"] == "ok"
    assert checked["first_call_s"] > 0
    assert await program.ask("check_hidden") == {"status": "ok"}
    measured = await program.measure(trial_count=7)
    assert measured["status"] == "ok"
    assert len(measured["samples_ns"]) == 7
    assert min(measured["samples_ns"]) > 0
    assert abs(measured["element_count"] - 10_000) <= 10
    assert (await program.measure())["element_count"] == measured["element_count"]


async def test_several_calls_a_window_are_all_checked(opened: Open) -> None:
    program = await opened(RIGHT)
    await program.ask("load")
    assert (await program.measure(calls_per_window=5))["status"] == "ok"
    # Right in all calls but the fourth of a window.
    program = await opened(
        RIGHT
        + """
calls = 0
right = prefix_sum

def prefix_sum(x):
    global calls
    calls += 1
    return right(x) + (calls % 5 == 4)
"""
    )
    await program.ask("load")
    assert await program.measure(calls_per_window=5) == {"status": "wrong"}


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("return x.clone()", "element 1 is -?[0-9]+, expected 0"),
        ("return right(x).long()", "returned a tensor of dtype torch.int64, not torch.int32"),
        ("return right(x)[:, None]", r"returned a tensor of shape \(\d+, 1\), not \(\d+,\)"),
        ("return right(x).to('meta')", "returned a tensor on device meta, not cpu"),
        ("return None", "returned None, not a torch.Tensor"),
        ("return type('long' * 10**6, (), {})()", "not a torch.Tensor"),
        ("return right(x).tolist()", "returned a builtins.list, not a torch.Tensor"),
        ("return 1 // len('')", "ZeroDivisionError"),
        ("raise SystemExit(0)", "SystemExit: 0"),
        ("raise KeyboardInterrupt", "KeyboardInterrupt"),
        (
            "return right(x) + (x.numel() == 4097)",
            r"n = 4097, contents: digits\): element 0 is 1, expected 0",
        ),
        ("return right(x.clamp(-100, 100))", "contents: full range"),
        (
            "return torch.where(right(x) < 0, right(x), right(x)) if len(x) else right(x[:1])[0]",
            r"shape \(\)|index",
        ),
    ],
)
async def test_what_is_wrong_is_told_for_public_inputs_and_never_for_hidden_ones(
    opened: Open, body: str, message: str
) -> None:
    program = await opened(RIGHT + f"\nright = prefix_sum\n\ndef prefix_sum(x):\n    {body}\n")
    await program.ask("load")
    checked = await program.ask("check_public")
    assert checked["status"] in ("wrong", "failed")
    assert re.search(message, checked["message"])
    hidden = await program.ask("check_hidden")
    assert hidden == {"status": checked["status"]}


async def test_the_authors_lines_are_shown_and_the_runners_are_not(opened: Open) -> None:
    program = await opened("import torch\n\ndef prefix_sum(x):\n    return torch.nonsense(x)\n")
    await program.ask("load")
    message = (await program.ask("check_public"))["message"]
    assert 'solution.py", line 4, in prefix_sum' in message
    assert "return torch.nonsense(x)" in message
    assert "runner" not in message


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("def prefix_sum(x:\n", "SyntaxError"),
        ("import no_such_module\n", "No module named 'no_such_module'"),
        ("x = 1\n", "solution.py defines no function prefix_sum"),
        ("raise SystemExit\n", "SystemExit"),
        ("raise BaseException('never')\n", "BaseException: never"),
        ("class Odd(Exception):\n    def __str__(self):\n        raise SystemExit\nraise Odd\n", "Odd"),
        ("raise Exception('x' * 10**7)\n", "xxxx"),
        ("raise Exception('\u20ac' * 10**6 + 'the end')\n", "the end"),
    ],
)
async def test_what_does_not_load_is_told(opened: Open, source: str, message: str) -> None:
    program = await opened(source)
    answer = await program.ask("load")
    assert answer["status"] == "failed"
    assert message in answer["message"]
    assert len(answer["message"]) <= 16 * 1024


async def test_triton_is_served_by_its_interpreter_and_its_errors_have_their_line(opened: Open) -> None:
    kernel = """
import torch
import triton
import triton.language as tl

@triton.jit
def add_one(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    {line}
    tl.store(y + at, value, mask=at < n)

def prefix_sum(x):
    y = torch.empty_like(x)
    add_one[(1,)](x, y, x.numel(), BLOCK=1 << 14)
    return y
"""
    program = await opened(kernel.format(line="value = tl.load(x + at, mask=at < n) + 1"))
    await program.ask("load")
    assert (await program.ask("check_public"))["status"] == "wrong"  # it runs
    program = await opened(kernel.format(line="value = tl.nonsense(x + at)"))
    await program.ask("load")
    message = (await program.ask("check_public"))["message"]
    assert "nonsense" in message
    assert "solution.py" in message


@pytest.mark.parametrize("operation", ["load", "check_public", "check_hidden"])
async def test_hanging_ends_at_the_time_limit(opened: Open, operation: str) -> None:
    source = (
        "while True: pass" if operation == "load" else RIGHT + "\ndef prefix_sum(x):\n    while True: pass\n"
    )
    program = await opened(source)
    if operation != "load":
        await program.ask("load")
    answer = await program.ask(operation, wall_limit_s=0.3)
    assert answer["status"] == "time_limit"


@pytest.mark.parametrize("how", ["os._exit(0)", "os.kill(os.getpid(), 9)", "os.close(3)", "os.abort()"])
async def test_a_program_that_ends_is_gone(opened: Open, how: str) -> None:
    program = await opened(f"import os\n\ndef prefix_sum(x):\n    {how}\n    os._exit(0)\n")
    await program.ask("load")
    assert (await program.ask("check_public"))["status"] == "gone"
    assert (await program.measure())["status"] == "gone"


HONEST = {
    "changes its input in place": """
    positive = (x > 0).to(torch.int32)
    x.mul_((torch.cumsum(positive, 0, dtype=torch.int32) - positive).remainder_(2))
    return torch.cumsum(x, 0, dtype=torch.int32, out=x)
""",
    "returns one buffer again and again": """
    if x.numel() not in buffers:
        buffers[x.numel()] = torch.empty_like(x)
    return buffers[x.numel()].copy_(right(x))
""",
    "returns a view that is not contiguous": """
    return torch.stack([right(x), x], 1)[:, 0]
""",
    "returns a lazy tensor that is right when it is copied": """
    return x.as_subclass(Lazy)
""",
}


@pytest.mark.parametrize("honest", HONEST)
async def test_ways_to_return_an_output_that_are_right(opened: Open, honest: str) -> None:
    program = await opened(
        RIGHT
        + f"""
right = prefix_sum
buffers = {{}}

class Lazy(torch.Tensor):
    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        if function is torch.Tensor.copy_:
            return args[0].copy_(right(args[1].as_subclass(torch.Tensor)))
        return super().__torch_function__(function, types, args, kwargs or {{}})

def prefix_sum(x):{HONEST[honest]}
"""
    )
    await program.ask("load")
    assert (await program.ask("check_public")) | {"first_call_s": 0} == {"status": "ok", "first_call_s": 0}
    assert (await program.ask("check_hidden"))["status"] == "ok"
    assert (await program.measure(calls_per_window=2))["status"] == "ok"


async def test_nothing_is_told_once_hidden_inputs_were_seen(opened: Open) -> None:
    program = await opened(RIGHT)
    await program.ask("load")
    await program.ask("check_hidden")
    for public in ("load", "check_public"):
        with pytest.raises(OperationFailed, match="hidden inputs"):
            await program.ask(public)


async def test_a_program_that_is_killed_while_it_is_timed_is_gone(opened: Open) -> None:
    program = await opened("import time\ndef prefix_sum(x):\n    time.sleep(1000)\n")
    await program.ask("load")
    measuring = asyncio.create_task(program.measure())
    other = await opened(RIGHT)
    await other.ask("load")
    program.kill()
    assert (await measuring) == {"status": "gone"}


async def test_a_worker_that_is_killed_while_it_times_is_replaced(
    torch_python: Path, warm: WarmProcess, tmp_path: Path
) -> None:
    worker = Worker(torch_python, "cpu")
    await worker.start()
    hanging = await open_program(
        worker, warm, tmp_path, "import time\ndef prefix_sum(x):\n    time.sleep(1000)\n"
    )
    await hanging.ask("load")
    measuring = asyncio.create_task(hanging.measure())
    await worker.call("scorer_service.worker.diagnosis:echo", {})
    assert worker.pid is not None
    os.kill(worker.pid, signal.SIGKILL)
    with pytest.raises(WorkerLost):
        await measuring
    with pytest.raises(OperationFailed, match="there is no session"):
        await hanging.measure()
    again = await open_program(worker, warm, tmp_path, RIGHT)
    await again.ask("load")
    assert (await again.measure())["status"] == "ok"
    assert worker.restarts == 1
    for program in (hanging, again):
        program.kill()
    await worker.close()


async def test_the_channel_is_closed_by_closing_the_session_while_the_program_hangs(opened: Open) -> None:
    program = await opened("while True: pass")
    loading = asyncio.create_task(program.ask("load"))
    # An operation on another session has begun after the first one has.
    other = await opened(RIGHT)
    await other.ask("load")
    assert not loading.done()
    await program.ask("close_session")
    assert (await loading)["status"] == "gone"


async def test_without_checking_a_function_that_does_nothing_is_timed(opened: Open) -> None:
    program = await opened("def prefix_sum(x):\n    return x\n")
    await program.ask("load")
    assert len((await program.measure(trial_count=4, check=False))["samples_ns"]) == 4
    assert (await program.measure(trial_count=4))["status"] == "wrong"


async def test_addresses_differ_from_call_to_call_and_are_aligned(opened: Open, tmp_path: Path) -> None:
    program = await opened(
        """
addresses = []
def prefix_sum(x):
    addresses.append(x.data_ptr())
    open("addresses", "w").write(" ".join(map(str, addresses)))
    return x
"""
    )
    await program.ask("load")
    await program.measure(trial_count=20, check=False)
    addresses = [int(address) for address in (tmp_path / "0" / "addresses").read_text().split()]
    assert len(set(addresses)) > 15
    assert all(address % 256 == 0 for address in addresses)


async def test_sizes_differ_between_sessions(opened: Open) -> None:
    sizes = set()
    for _ in range(4):
        program = await opened("def prefix_sum(x):\n    return x\n", element_count=100_000)
        await program.ask("load")
        sizes.add((await program.measure(trial_count=1, check=False))["element_count"])
    assert len(sizes) > 1
    assert all(abs(size - 100_000) <= 100 for size in sizes)


async def test_copy_bandwidth_is_of_this_world(shared_worker: Worker) -> None:
    answer = await shared_worker.call(
        "scorer_service.environments.triton_cumsum.trials:copy_bandwidth", {"element_count": 65536}
    )
    assert 1e8 < answer["bytes_per_s"] < 1e13
