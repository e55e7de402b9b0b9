"""Loads stored tensors onto a torch device, from raw bytes."""

import warnings
from collections.abc import Callable, Iterable, Mapping

import torch

from scorer_service.graph.archive import Archive, StoredTensor
from scorer_service.graph.call import NUMBER_LIMIT
from scorer_service.graph.dtypes import Kind
from scorer_service.graph.errors import GraphRefused, Refusal


def load_weights(
    stored: Iterable[tuple[int, StoredTensor]],
    archive: Archive,
    device: torch.device,
    dtypes: Mapping[Kind, torch.dtype],
    change: Callable[[torch.Tensor], torch.Tensor],
) -> dict[int, torch.Tensor]:
    """Load tensors by slot; those that share an entry share memory here too. `change` is done to each entry.

    Raises ArchiveError for damaged entries, and GraphRefused for entries with a number that is not finite or
    over NUMBER_LIMIT, be it one that no tensor shows.
    """
    storages: dict[tuple[str, str], torch.Tensor] = {}
    weights = {}
    refusals = []
    for slot, tensor in stored:
        key = (tensor.entry.name, tensor.dtype.name)
        if key not in storages:
            storages[key] = _load_storage(tensor, archive, device, dtypes)
            largest = _largest(storages[key])
            if tensor.dtype.kind is Kind.FLOAT and not largest <= NUMBER_LIMIT:
                reason = f"reaches {largest:g}; weights are finite and at most {NUMBER_LIMIT:g} in magnitude"
                refusals.append(Refusal(f"weight {tensor.name[:200]!r}", reason))
            storages[key] = change(storages[key])
        weights[slot] = storages[key].as_strided(tensor.shape, tensor.strides, tensor.offset)
    if refusals:
        raise GraphRefused(refusals)
    return weights


def _largest(storage: torch.Tensor) -> float:
    """The largest magnitude; NaN where there is one."""
    if not storage.numel():
        return 0.0
    low, high = torch.aminmax(storage)
    return max(abs(float(low)), abs(float(high))) if low <= high else float("nan")


def _load_storage(
    tensor: StoredTensor, archive: Archive, device: torch.device, dtypes: Mapping[Kind, torch.dtype]
) -> torch.Tensor:
    """All of an entry's elements, in one dimension."""
    content = archive.read_storage(tensor)
    count = len(content) // tensor.dtype.size_bytes
    if not count:
        return torch.empty(0, dtype=dtypes[tensor.dtype.kind], device=device)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # the bytes are read-only, and nothing writes to weights
        stored = torch.frombuffer(content, dtype=getattr(torch, tensor.dtype.name), count=count)
    return stored.to(device=device, dtype=dtypes[tensor.dtype.kind])
