"""The worker's operations of this environment: the loss of submitted weights on the hidden text.

The worker owns the architecture. Of a submission it takes tensors of known names and shapes, by `pread`
into memory of its own, from a descriptor that the server has opened.
"""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import torch

from scorer_service.evaluation import loss, stopping, tensors_file
from scorer_service.evaluation.tensors_file import RefusedTensor, StoredTensor, WeightsRefused
from scorer_service.language import model, shapes
from scorer_service.worker.context import Context

Answer: TypeAlias = dict[str, Any]

_DTYPES = {"F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16}


def judge(context: Context, arguments: dict[str, Any], descriptors: list[int]) -> Answer:
    """The loss of the weights behind the descriptor: `status` is "ok", "refused", "not_finite" or "stopped".

    Arguments: `session` (by which it is stopped), `shape` (members of GptShape), `hidden` (path of a text
    of 16-bit tokens), `batch_size`, `window_limit` (None: all windows).

    "ok" has `mean_nats`, `standard_error_nats`, `token_count`, `judging_s` and `device_states`; "refused" has
    `message` and `tensors`, pairs of name and reason.
    """
    shape = shapes.GptShape(**arguments["shape"])
    try:
        with stopping.stoppable(context, arguments["session"]) as report:
            return _judge(context, arguments, descriptors[0], shape, report)
    except WeightsRefused as refusal:
        tensors = [[tensor.name, tensor.reason] for tensor in refusal.tensors]
        return {"status": "refused", "message": str(refusal), "tensors": tensors}
    except loss.LogitsNotFinite:
        return {"status": "not_finite"}
    except stopping.Stopped:
        return {"status": "stopped"}


def _judge(
    context: Context,
    arguments: dict[str, Any],
    descriptor: int,
    shape: shapes.GptShape,
    report: Callable[[int, int], None],
) -> Answer:
    began_s = time.perf_counter()
    device = context.device.torch_device
    gpt = model.from_tensors(read_tensors(descriptor, shapes.gpt_tensors(shape)), shape).to(device)
    windows = loss.cut_windows(loss.read_tokens(Path(arguments["hidden"])), shape.context_length)
    windows = windows[: arguments["window_limit"]].to(device)
    states = [context.device.state()]
    report(0, len(windows))
    with torch.inference_mode():
        found = loss.causal_loss(
            gpt,
            windows,
            vocabulary_size=shape.vocabulary_size,
            batch_size=int(arguments["batch_size"]),
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


def read_tensors(descriptor: int, table: dict[str, tuple[int, ...]]) -> dict[str, torch.Tensor]:
    """All tensors in float32. Raises WeightsRefused, also for values that are not finite."""
    stored = tensors_file.read_header(descriptor, table)
    tensors = {name: _read(descriptor, tensor) for name, tensor in stored.items()}
    refused = [
        RefusedTensor(name, f"not finite: {count} of {tensor.numel()} values")
        for name, tensor in tensors.items()
        if (count := int(tensor.numel() - torch.isfinite(tensor).sum()))
    ]
    if refused:
        raise WeightsRefused("weights are not finite", refused)
    return tensors


def _read(descriptor: int, stored: StoredTensor) -> torch.Tensor:
    content = tensors_file.read_tensor(descriptor, stored)
    return torch.frombuffer(content, dtype=_DTYPES[stored.dtype]).to(torch.float32).view(stored.shape)
