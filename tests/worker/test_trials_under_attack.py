"""Submissions that work against the trials, without a sandbox: none is told right that is not."""

import pytest

from scorer_service.worker.client import Worker
from tests.worker.plain_programs import RIGHT, Open

pytestmark = pytest.mark.asyncio(loop_scope="module")


ATTACKS = {
    "says done before it is asked": "os.write(3, b'd'); return right(x)",
    "floods the channel": "[os.write(3, b'd') for _ in range(1000)]",
    "floods the channel with large packets": "[os.write(3, b'd' * 100_000) for _ in range(1000)]",
    "says nonsense": "os.write(3, bytes(range(256)) * 100); return right(x)",
    "says nothing": "import socket; socket.socket(fileno=os.dup(3)).send(b''); return right(x)",
}
"""Told apart by what they do to the channel, descriptor 3, within a call."""


@pytest.mark.parametrize("attack", ATTACKS)
async def test_the_channel_is_of_no_use_to_a_program(opened: Open, attack: str) -> None:
    program = await opened(
        "import os\nos.set_blocking(3, False)\n"
        + RIGHT
        + f"\nright = prefix_sum\n\ndef prefix_sum(x):\n    {ATTACKS[attack]}\n"
    )
    await program.ask("load")
    answer = await program.measure(wall_limit_s=20)
    assert answer["status"] in ("failed", "wrong")
    assert "samples_ns" not in answer
    assert "message" not in answer
    assert (await program.ask("check_hidden", wall_limit_s=20))["status"] in ("failed", "wrong")


async def test_descriptors_sent_by_a_program_are_not_kept(opened: Open, shared_worker: Worker) -> None:
    program = await opened(
        RIGHT
        + """
import array, socket
right = prefix_sum
channel = socket.socket(fileno=3)
reading, writing = __import__("os").pipe()

def prefix_sum(x):
    rights = array.array("i", [writing] * 200)
    channel.sendmsg([b"d"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, rights)])
    return right(x)
"""
    )
    before = await shared_worker.call("tests.worker.operations:open_descriptors", {})
    await program.ask("load")
    for _ in range(3):
        await program.measure(wall_limit_s=20)
    await program.ask("close_session")
    after = await shared_worker.call("tests.worker.operations:open_descriptors", {})
    assert after < before + 3


async def test_done_said_early_gains_nothing(opened: Open) -> None:
    # The real output comes from a thread, after a "done" that this program says itself.
    program = await opened(
        RIGHT
        + """
import os, threading, time
right = prefix_sum

class Late(torch.Tensor):
    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        if function is torch.Tensor.copy_:
            output, source = args
            def finish():
                time.sleep(0.05)
                output.copy_(source.as_subclass(torch.Tensor))
            threading.Thread(target=finish).start()
            return output
        return super().__torch_function__(function, types, args, kwargs or {})

def prefix_sum(x):
    return right(x).as_subclass(Late)
"""
    )
    await program.ask("load")
    assert (await program.measure())["status"] == "wrong"


SCRIBBLING_TRIES = 20
"""A thread that has just no turn while a machine is busy spoils nothing."""


async def test_a_thread_that_goes_on_writing_changes_nothing_that_was_taken(opened: Open) -> None:
    # Scribbles over the whole of the shared buffers all the time: its own output is spoilt, and nothing else.
    program = await opened(
        RIGHT
        + """
import gc, threading
right = prefix_sum

def scribble(words):
    while True:
        words.fill_(7)

started = False

def prefix_sum(x):
    global started
    if not started:
        started = True
        from runner.buffers import Buffers
        (buffers,) = (thing for thing in gc.get_objects() if type(thing) is Buffers)
        threading.Thread(target=scribble, args=(buffers._outputs,), daemon=True).start()
    return right(x)
"""
    )
    await program.ask("load")
    for _ in range(SCRIBBLING_TRIES):
        if (await program.measure(trial_count=20))["status"] != "ok":
            return
    raise AssertionError("nothing was spoilt")


DISHONEST = {
    "keeps the first output for all": """
    kept.setdefault(x.numel(), right(x).clone())
    return kept[x.numel()]
""",
    "knows an input by about where it lies": """
    return kept.setdefault((x.data_ptr() >> 22, x.numel()), right(x).clone())
""",
    "works on the place of the first input": """
    kept.setdefault(x.numel(), x)
    return right(kept[x.numel()])
""",
    "returns memory that it never wrote": """
    return torch.empty_like(x)
""",
    "changes its input so that the answer is all zeros": """
    return x.zero_()
""",
    "returns one element as the whole": """
    return torch.zeros(1, dtype=torch.int32).expand(x.numel())
""",
    "agrees with whatever it is compared to": """
    return torch.empty_like(x).as_subclass(Agreeable)
""",
    "is right but for the last element": """
    output = right(x)
    output[-1:] += 1
    return output
""",
    "hands over no output at all": """
    return x.as_subclass(Nothing)
""",
}


@pytest.mark.parametrize("dishonest", DISHONEST)
async def test_ways_to_return_an_output_that_are_wrong(opened: Open, dishonest: str) -> None:
    program = await opened(
        RIGHT
        + f"""
right = prefix_sum
kept = {{}}

class Agreeable(torch.Tensor):
    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        if function in (torch.equal, torch.allclose, torch.Tensor.eq, torch.Tensor.__eq__):
            return True
        return super().__torch_function__(function, types, args, kwargs or {{}})

class Nothing(torch.Tensor):
    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        if function is torch.Tensor.copy_:
            return args[0]
        return super().__torch_function__(function, types, args, kwargs or {{}})

def prefix_sum(x):{DISHONEST[dishonest]}
"""
    )
    await program.ask("load")
    assert (await program.ask("check_public"))["status"] == "wrong"
    assert await program.measure(trial_count=5) == {"status": "wrong"}
    assert await program.ask("check_hidden") == {"status": "wrong"}


async def test_what_is_timed_must_be_right_for_other_numbers_too(opened: Open) -> None:
    # Knows that it is timed by the calls it has had, and relies on the numbers it is timed with from then on.
    program = await opened(
        RIGHT
        + """
right, calls = prefix_sum, 0

def prefix_sum(x):
    global calls
    calls += 1
    return right(x) if calls <= 3 else right(x.clamp(-10, 9))
"""
    )
    await program.ask("load")
    assert await program.measure(trial_count=40) == {"status": "wrong"}


async def test_shared_memory_cannot_be_taken_away_from_the_worker(opened: Open) -> None:
    # A file that shrinks under a mapping kills whoever touches it.
    program = await opened(
        """
import os, re
def prefix_sum(x):
    for name in os.listdir("/proc/self/map_files"):
        path = f"/proc/self/map_files/{name}"
        if "memfd:buffer" in os.readlink(path):
            with open(path, "r+b") as file:
                os.ftruncate(file.fileno(), 0)
    return x
"""
    )
    await program.ask("load")
    answer = await program.ask("check_public")
    assert answer["status"] == "failed"
    assert "Operation not permitted" in answer["message"] or "Invalid argument" in answer["message"]


async def test_a_program_that_never_reads_blocks_nobody(opened: Open) -> None:
    program = await opened("while True: pass")
    for _ in range(30):
        assert (await program.ask("load", wall_limit_s=0.01))["status"] == "time_limit"
    assert (await program.measure(wall_limit_s=0.01, calls_per_window=1000))["status"] == "time_limit"
