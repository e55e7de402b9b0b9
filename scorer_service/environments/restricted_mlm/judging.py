"""The worker's operations of this environment: the loss of an exported model on the hidden text.

Of a submission it takes an archive, by a descriptor that the server has opened. Nothing in it is executed:
its graph is checked against a table, and carried out by code of our own.
"""

import json
import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import torch

from scorer_service.environments.restricted_mlm import examination
from scorer_service.environments.restricted_mlm.examination import Inconsistent
from scorer_service.evaluation import loss, stopping
from scorer_service.graph import (
    Archive,
    ArchiveError,
    ArchiveLimits,
    CheckedGraph,
    GraphRefused,
    ModelFailed,
    ModelInterface,
    Refusal,
    check_archive,
    read_archive,
)
from scorer_service.graph.execute import RunnableModel
from scorer_service.worker.context import Context

Answer: TypeAlias = dict[str, Any]

LISTED_LIMIT_BYTES = 48 << 10
"""Of all refused operators together, as JSON: an answer has to fit into one message of the worker."""
_WORK = "/work/"
_SAMPLE_ROWS = 8


def judge(context: Context, arguments: dict[str, Any], descriptors: list[int]) -> Answer:
    """The loss of the model in the archive behind the descriptor.

    Arguments: `session` (by which it is stopped), `interface` (members of ModelInterface), `limits`
    (members of ArchiveLimits), `mask_token`, `draw_count`, `hidden` and `public` (paths of texts of 16-bit
    tokens), `window_limit` (None: all windows), `judging_limit_s`.

    The answer's `status` is
      "ok"           with `mean_nats`, `standard_error_nats`, `token_count`, `judging_s`, `device_states`;
      "refused"      with `operators`: lists of operator, file, line (0: not known) and reason;
      "malformed"    with `message`: it is no archive that an export writes;
      "inconsistent" with `message`: its logits depend on what they must not;
      "failed"       with `message`: it cannot be carried out;
      "not_finite", "too_long", "stopped".
    No message depends on the hidden text beyond that status.
    """
    deadline_s = time.monotonic() + arguments["judging_limit_s"]
    try:
        with stopping.stoppable(context, arguments["session"]) as report:
            archive = read_archive(descriptors[0], ArchiveLimits(**arguments["limits"]))
            graph = check_archive(archive, ModelInterface(**arguments["interface"]))
            return _measure(context, arguments, archive, graph, report, deadline_s)
    except GraphRefused as refused:
        return {"status": "refused", "operators": _listed(refused.refusals)}
    except ArchiveError as error:
        return {"status": "malformed", "message": str(error)[:1000]}
    except Inconsistent as error:
        return {"status": "inconsistent", "message": str(error)}
    except loss.LogitsNotFinite:
        return {"status": "not_finite"}
    except ModelFailed as error:
        if time.monotonic() > deadline_s:
            return {"status": "too_long"}
        # The line of source that may follow is the author's own.
        return {"status": "failed", "message": str(error).partition("\n")[0].removeprefix(_WORK)[:1000]}
    except stopping.Stopped:
        return {"status": "stopped"}


def _measure(
    context: Context,
    arguments: dict[str, Any],
    archive: Archive,
    graph: CheckedGraph,
    report: Callable[[int, int], None],
    deadline_s: float,
) -> Answer:
    began_s = time.perf_counter()
    device = context.device.torch_device
    interface = graph.interface
    hidden = loss.cut_windows(loss.read_tokens(Path(arguments["hidden"])), interface.sequence_length)
    hidden = hidden[: arguments["window_limit"]].to(device)
    public = loss.cut_windows(loss.read_tokens(Path(arguments["public"])), interface.sequence_length)
    public = _sample(public).to(device)
    mask_token = int(arguments["mask_token"])
    states = [context.device.state()]
    report(0, arguments["draw_count"] * len(hidden))
    samples = [examination.mask(windows, mask_token) for windows in (public, _sample(hidden))]
    # One of the two precisions at a time, for the sake of memory.
    exact = RunnableModel(graph, archive, device, float_dtype=torch.float64, noise=True)
    exact_nats = [examination.mean_nats(sample, exact, deadline_s) for sample in samples]
    del exact
    model = RunnableModel(graph, archive, device)
    examination.examine(model, samples[0], exact_nats[0], deadline_s)
    _without_details(lambda: examination.examine(model, samples[1], exact_nats[1], deadline_s))
    with torch.inference_mode():
        found = loss.masked_loss(
            lambda tokens: model.run(tokens, deadline_s=deadline_s),
            hidden,
            mask_token=mask_token,
            draw_count=int(arguments["draw_count"]),
            vocabulary_size=interface.vocabulary,
            batch_size=interface.batch_rows,
            report=report,
        )
    states.append(context.device.state())
    return {
        "status": "ok",
        "mean_nats": found.mean_nats,
        "standard_error_nats": found.standard_error_nats,
        "token_count": found.token_count,
        "judging_s": time.perf_counter() - began_s,
        "device_states": states,
    }


def _without_details(step: Callable[[], None]) -> None:
    """What is wrong on hidden text is told without where, and without a number."""
    try:
        step()
    except ModelFailed:
        raise ModelFailed("on the hidden text, an intermediate number is out of range") from None
    except Inconsistent as error:
        raise Inconsistent(error.rule) from None


def _sample(windows: torch.Tensor) -> torch.Tensor:
    chosen = random.SystemRandom().sample(range(len(windows)), min(_SAMPLE_ROWS, len(windows)))
    return windows[torch.tensor(chosen, device=windows.device)]


def _listed(refusals: tuple[Refusal, ...]) -> list[list[Any]]:
    """As many as a message holds; the last says how many more there are."""
    shown: list[list[Any]] = []
    size_bytes = 0
    for refusal in refusals:
        file, line = "", 0
        if refusal.source is not None:
            file, line = refusal.source.file.removeprefix(_WORK), refusal.source.line
        entry = [refusal.operator[:200], file[:200], line, refusal.reason[:600]]
        # A character that is not ASCII takes six or twelve bytes there.
        size_bytes += len(json.dumps(entry))
        if size_bytes > LISTED_LIMIT_BYTES:
            shown.append(["...", "", 0, f"and {len(refusals) - len(shown)} more"])
            break
        shown.append(entry)
    return shown
