"""The worker's operations of this environment: one submission's way from import to samples.

Each takes `session`, a text, and answers a dict with `status`: "ok", "failed" (the program said so),
"wrong" (an output is wrong), "time_limit" or "gone" (its channel is closed). `wall_limit_s` is the
program's own time: what the worker takes for inputs and comparisons does not count. `message` is there in
public phases alone; it holds text of the submission and belongs to its author.
"""

import os
import secrets
import time
from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

import torch

from scorer_service.environments.triton_cumsum import battery
from scorer_service.environments.triton_cumsum.battery import Case
from scorer_service.environments.triton_cumsum.comparison import difference, is_right
from scorer_service.environments.triton_cumsum.program_session import ProgramSession
from scorer_service.environments.triton_cumsum.public_inputs import CONTENTS, public_input
from scorer_service.worker.channel import ProgramFailed, ProgramStopped
from scorer_service.worker.context import Context

Answer: TypeAlias = dict[str, Any]

SIZE_JITTER_PART = 0.001
"""The timed size of a session differs by at most this from the nominal one."""

WARM_UP_COUNT = 5
"""Calls at the timed size in `check_hidden`."""

FIRST_CALL_COUNT = 3
"""Calls in `measure` before the first sample: the program was frozen, and its caches are cold."""

TRIALS_A_DECOY = 8
"""Windows with other contents than the timed ones are checked, not counted: one of each, and one more for so
many trials. A program may know when it is timed; it must not rely on what it is timed with."""

TIMED_CONTENTS = "digits"

COPY_ROUNDS = 200
COPIES_A_ROUND = 10


def open_session(context: Context, arguments: dict[str, Any], descriptors: list[int]) -> Answer:
    """Take a program's channel; its timed size is drawn here."""
    nominal = int(arguments["element_count"])
    jitter = int(nominal * SIZE_JITTER_PART)
    timed_size = nominal - jitter + secrets.randbelow(2 * jitter + 1)
    session = ProgramSession(context.device, descriptors[0], timed_size, battery.largest_size(timed_size))
    context.sessions[arguments["session"]] = session
    return {"status": "ok"}


def close_session(context: Context, arguments: dict[str, Any], descriptors: list[int]) -> Answer:
    """Forget a session, also one that is unknown; an operation on it ends as if the program had."""
    session: ProgramSession | None = context.sessions.pop(arguments["session"], None)
    if session is not None:
        session.channel.shut()
        with session.turn:
            session.close()
    return {"status": "ok"}


def hold(context: Context, arguments: dict[str, Any], descriptors: list[int]) -> Answer:
    """The program is being frozen: what is asked of it takes none of its time until `release`."""
    session: ProgramSession | None = context.sessions.get(arguments["session"])
    if session is not None:
        session.channel.hold()
    return {"status": "ok"}


def release(context: Context, arguments: dict[str, Any], descriptors: list[int]) -> Answer:
    """The program goes on."""
    session: ProgramSession | None = context.sessions.get(arguments["session"])
    if session is not None:
        session.channel.release()
    return {"status": "ok"}


def load(context: Context, arguments: dict[str, Any], descriptors: list[int]) -> Answer:
    """Import the submission: `load_s`."""

    def work(session: ProgramSession) -> Answer:
        began_s = time.perf_counter()
        session.load()
        return {"status": "ok", "load_s": time.perf_counter() - began_s}

    return _in_turn(context, arguments, work, public=True)


def check_public(context: Context, arguments: dict[str, Any], descriptors: list[int]) -> Answer:
    """Every public input: `first_call_s` is the first call of all, at the timed size, which compiles."""

    def work(session: ProgramSession) -> Answer:
        timed = Case(TIMED_CONTENTS, session.timed_size)
        elapsed_ns, message = _check_publicly(context, session, timed)
        cases = battery.cases(session.timed_size, battery.public_shift)
        for number, case in enumerate(cases):
            if case.size > session.timed_size and message:
                break
            # A small input that fails says more than a large one.
            _, small_message = _check_publicly(context, session, case)
            if small_message:
                message = small_message
                break
            context.report(number + 1, len(cases), "public inputs")
        if message:
            return {"status": "wrong", "message": message}
        return {"status": "ok", "first_call_s": elapsed_ns / 1e9}

    return _in_turn(context, arguments, work, public=True)


def check_hidden(context: Context, arguments: dict[str, Any], descriptors: list[int]) -> Answer:
    """Every case of the battery on fresh inputs, then warm-ups at the timed size. Tells nothing but the
    status."""

    def work(session: ProgramSession) -> Answer:
        cases = battery.cases(session.timed_size, lambda limit: secrets.randbelow(2 * limit + 1) - limit)
        warm_ups = [Case(TIMED_CONTENTS, session.timed_size)] * WARM_UP_COUNT
        for number, case in enumerate([*cases, *warm_ups]):
            values = _hidden_input(context, case)
            _, (output,) = session.call([values])
            if not is_right(values, output):
                return {"status": "wrong"}
            context.report(number + 1, len(cases) + len(warm_ups), "hidden inputs")
        return {"status": "ok"}

    return _in_turn(context, arguments, work, public=False)


def measure(context: Context, arguments: dict[str, Any], descriptors: list[int]) -> Answer:
    """Time `trial_count` windows of `calls_per_window` calls: `samples_ns` a call, and `element_count`.

    `avoid_cores` are those to which the program is bound. `check` false leaves out the comparison: for the
    program that does nothing, by which the protocol's own cost is measured.
    """
    chance = secrets.SystemRandom()
    trial_count, calls_per_window = int(arguments["trial_count"]), int(arguments["calls_per_window"])
    check = bool(arguments.get("check", True))

    def work(session: ProgramSession) -> Answer:
        spin = _leave_cores(arguments.get("avoid_cores", ()))
        samples_ns = []
        for number, contents in enumerate(windows):
            case = Case(contents or TIMED_CONTENTS, session.timed_size)
            inputs = [_hidden_input(context, case) for _ in range(calls_per_window)]
            elapsed_ns, outputs = session.call(inputs, spin=spin)
            if check and not all(map(is_right, inputs, outputs)):
                return {"status": "wrong"}
            if number >= FIRST_CALL_COUNT and contents is None:
                samples_ns.append(round(elapsed_ns / calls_per_window))
                context.report(len(samples_ns), trial_count, "trials")
        return {"status": "ok", "samples_ns": samples_ns, "element_count": session.timed_size}

    # None for those that are timed.
    windows: list[str | None] = [None] * trial_count
    more = chance.choices(battery.EVERY_CONTENTS, k=1 + trial_count // TRIALS_A_DECOY)
    for contents in (*battery.EVERY_CONTENTS, *more):
        windows.insert(chance.randrange(len(windows) + 1), contents)
    windows[:0] = [None] * FIRST_CALL_COUNT
    return _in_turn(context, arguments, work, public=False)


def copy_bandwidth(context: Context, arguments: dict[str, Any], descriptors: list[int]) -> Answer:
    """The fastest copy of `element_count` int32 seen here, read and written bytes together: `bytes_per_s`.

    Source and target are the same each time, so that they lie in whatever cache holds them: no call of that
    size can move its input and output faster.
    """
    count = int(arguments["element_count"])
    _leave_cores(())
    device = context.device.torch_device
    source = torch.ones(count, dtype=torch.int32, device=device)
    target = torch.zeros_like(source)
    fastest_ns = min(_copy_ns(context, source, target) for _ in range(COPY_ROUNDS))
    return {"status": "ok", "bytes_per_s": 8 * count / (fastest_ns / 1e9)}


def _copy_ns(context: Context, source: torch.Tensor, target: torch.Tensor) -> float:
    context.device.synchronize()
    began_ns = time.perf_counter_ns()
    for _ in range(COPIES_A_ROUND):
        target.copy_(source)
    context.device.synchronize()
    return (time.perf_counter_ns() - began_ns) / COPIES_A_ROUND


def _in_turn(
    context: Context, arguments: dict[str, Any], work: Callable[[ProgramSession], Answer], *, public: bool
) -> Answer:
    """Do `work` when nothing else is done with the session; what stops the program is an answer."""
    session: ProgramSession | None = context.sessions.get(arguments["session"])
    if session is None:
        raise ValueError(f"there is no session {arguments['session']!r}; it was closed, or never opened here")
    with session.turn:
        if public and session.saw_hidden_inputs:
            raise ValueError("the program has seen hidden inputs: what it says stays here")
        session.saw_hidden_inputs |= not public
        session.channel.allow(float(arguments["wall_limit_s"]))
        try:
            return work(session)
        except ProgramStopped as stopped:
            answer: Answer = {"status": stopped.status}
            if public:
                told = isinstance(stopped, ProgramFailed)
                answer["message"] = session.explanation() if told else str(stopped)
            return answer


def _check_publicly(context: Context, session: ProgramSession, case: Case) -> tuple[int, str | None]:
    values = public_input(case.contents, case.size, context.device.torch_device)
    elapsed_ns, (output,) = session.call([values])
    return elapsed_ns, difference(case, values, output)


def _hidden_input(context: Context, case: Case) -> torch.Tensor:
    # A generator for each input, which draws nothing else: from what others draw, poison among it, a program
    # that sees it could find the state, and with the state all inputs to come.
    device = context.device.torch_device
    generator = torch.Generator(device).manual_seed(int.from_bytes(os.urandom(8), "little"))
    noise = torch.randint(0, 2**32, (case.size,), generator=generator, device=device)
    return CONTENTS[case.contents](noise)


def _leave_cores(avoided: Iterable[int]) -> bool:
    """Move this thread off the cores of the program; whether each side has one of its own then."""
    allowed = os.sched_getaffinity(0)
    own = allowed - set(avoided)
    if own:
        os.sched_setaffinity(0, own)
    return bool(own) and len(allowed) > 1
