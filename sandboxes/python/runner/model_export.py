"""Makes data of a model: an archive with its graph and its weights, as torch.export writes it.

What is checked here spares honest people a riddle. What decides is what the worker finds in the archive.
"""

import importlib
import warnings
from collections.abc import Iterator
from pathlib import Path

import safetensors
import torch
import torch.export
from safetensors.torch import load_file

from runner import submission

FUNCTIONS = ("get_model", "get_trained_model")
"""The first of them that a file defines makes the model."""

# Loaded by the first export otherwise, which would take a second each time.
for _name in ("torch.export._trace", "torch._export.serde.serialize", "torch._inductor.ir"):
    importlib.import_module(_name)


class Unfit(submission.Refusal):
    """What was submitted cannot become an archive."""


def export_file(
    file: str, archive: str, *, sequence_length: int, batch_rows: int, weights: str | None = None
) -> None:
    """Import `file`, make its model, load `weights` into it (safetensors), and write the archive.

    The model takes int64 tokens [batch, sequence_length], of 1 to `batch_rows` rows. Raises Unfit, and
    whatever the submission raises.
    """
    model = make_model(file)
    if weights is not None:
        load_weights(model, weights)
    model.eval()
    batch = torch.export.Dim("batch", min=1, max=batch_rows)
    tokens = torch.zeros(2, sequence_length, dtype=torch.int64)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        program = torch.export.export(model, (tokens,), dynamic_shapes=({0: batch},), strict=False)
        # With an empty table: only changes in place become functions, everything else stays as it is.
        torch.export.save(program.run_decompositions({}), archive)


def make_model(file: str) -> torch.nn.Module:
    """The model that a file makes. Raises Unfit."""
    function = submission.load_first(file, FUNCTIONS)
    model = function()
    if not isinstance(model, torch.nn.Module):
        raise Unfit(
            f"{function.__name__} in {Path(file).name} returned {type(model).__qualname__}, not a"
            " torch.nn.Module"
        )
    return model


def load_weights(model: torch.nn.Module, file: str) -> None:
    """Fill all parameters and buffers of a model from a file. Raises Unfit with all that does not fit."""
    try:
        given = load_file(file)
    except (safetensors.SafetensorError, OSError, ValueError) as error:
        raise Unfit(f"{Path(file).name} is no safetensors file: {error}") from None
    faults = list(_faults(model.state_dict(), given))
    if faults:
        raise Unfit("\n".join(["the weights do not fit the model:", *(f"  {fault}" for fault in faults)]))
    model.load_state_dict(given, strict=False)


def _faults(own: dict[str, torch.Tensor], given: dict[str, torch.Tensor]) -> Iterator[str]:
    # Of tensors that are one in the model, safetensors keeps the first.
    filled = {_place(tensor) for name, tensor in own.items() if name in given}
    for name, tensor in own.items():
        if name not in given:
            if _place(tensor) not in filled:
                yield f"{name}: missing; it has shape {list(tensor.shape)}"
        elif given[name].shape != tensor.shape:
            yield f"{name}: shape {list(given[name].shape)}, not {list(tensor.shape)}"
        elif given[name].is_floating_point() != tensor.is_floating_point():
            yield f"{name}: dtype {given[name].dtype}, not {tensor.dtype}"
    for name in given:
        if name not in own:
            yield f"{name}: unknown; the model has no such tensor"


def _place(tensor: torch.Tensor) -> tuple[int, tuple[int, ...]]:
    return tensor.data_ptr(), tuple(tensor.shape)
