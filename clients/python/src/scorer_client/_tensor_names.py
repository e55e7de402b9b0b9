"""Which tensors of a checkpoint are kept, and under which names."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from scorer_client._checkpoint import CannotConvert
from scorer_client._safetensors_file import DTYPE_NAMES, read_table

# What wrappers put before every name: DataParallel, torch.compile, Lightning, Hugging Face.
_PREFIXES = ("module.", "_orig_mod.", "model.", "transformer.")
# Beside the wrapped part in Hugging Face's models.
_HEAD = "lm_head."
# GPT-2's Conv1D keeps [in, out], where Linear keeps [out, in].
_CONV1D_SUFFIXES = (".c_attn.weight", ".q_attn.weight", ".c_fc.weight", ".c_proj.weight")


@dataclass(frozen=True)
class NameTable:
    """The tensors that are wanted."""

    origin: Path
    """The file that it was read from."""
    wanted: Mapping[str, str]
    """For each name to be written the checkpoint's name for it."""
    shapes: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """Sizes by name, where the table has them."""


def read_name_table(path: Path) -> NameTable:
    """Reads the names of a safetensors file; or of a text, each line with a name, or with the checkpoint's
    name and the one to write.

    Raises OSError, CannotConvert.
    """
    if path.suffix == ".safetensors":
        try:
            entries = read_table(path)
        except ValueError as error:
            raise CannotConvert(str(error)) from None
        return NameTable(
            path, {name: name for name in entries}, {name: entry.shape for name, entry in entries.items()}
        )
    wanted: dict[str, str] = {}
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError:
        raise CannotConvert(f"{path} is neither a .safetensors file nor a text") from None
    for number, line in enumerate(lines, start=1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        if len(words) > 2:
            raise CannotConvert(f"{path}, line {number}: more than two names: {line.strip()!r}")
        if words[-1] in wanted:
            raise CannotConvert(f"{path}, line {number}: {words[-1]!r} was there before")
        wanted[words[-1]] = words[0]
    if not wanted:
        raise CannotConvert(f"{path} has no names")
    return NameTable(path, wanted)


def without_prefixes(tensors: Mapping[str, Any]) -> dict[str, Any]:
    """The tensors without what wrappers put before the name of every one of them."""
    named = dict(tensors)
    while True:
        for prefix in _PREFIXES:
            wrapped = [name for name in named if name.startswith(prefix)]
            rest = [name for name in named if not name.startswith(prefix)]
            if wrapped and all(name.startswith(_HEAD) for name in rest):
                named = {name.removeprefix(prefix): tensor for name, tensor in named.items()}
                break
        else:
            return named


def transposed_conv1d(tensors: Mapping[str, Any]) -> dict[str, Any]:
    """The tensors with the weights of GPT-2's Conv1D as Linear keeps them.

    Raises CannotConvert where there is none.
    """
    chosen = {
        name for name, tensor in tensors.items() if name.endswith(_CONV1D_SUFFIXES) and tensor.ndim == 2
    }
    if not chosen:
        raise CannotConvert(
            f"there is nothing to transpose: no name ends in {', '.join(_CONV1D_SUFFIXES)}; leave "
            "--transpose-conv1d out"
        )
    return {name: tensor.t() if name in chosen else tensor for name, tensor in tensors.items()}


def chosen_by(table: NameTable, tensors: Mapping[str, Any]) -> dict[str, Any]:
    """The tensors that the table wants, under its names.

    Raises CannotConvert, which names everything that is missing or of another shape.
    """
    chosen: dict[str, Any] = {}
    wrong: list[str] = []
    for name, source in table.wanted.items():
        found = _find(source, tensors)
        if len(found) != 1:
            wrong.append(f"{source}: {'missing' if not found else 'could be ' + ' or '.join(sorted(found))}")
            continue
        tensor = tensors[found[0]]
        shape, wanted_shape = tuple(tensor.shape), table.shapes.get(name)
        if wanted_shape is not None and shape != wanted_shape:
            hint = ""
            if shape[::-1] == wanted_shape and found[0].endswith(_CONV1D_SUFFIXES):
                hint = ", which --transpose-conv1d makes of it"
            wrong.append(f"{name}: has the shape {list(shape)}, not {list(wanted_shape)}{hint}")
            continue
        chosen[name] = tensor
    if wrong:
        lines = "\n  ".join(wrong)
        raise CannotConvert(
            f"the checkpoint does not fit {table.origin}:\n  {lines}\nit has: {', '.join(sorted(tensors))}"
        )
    return chosen


def _find(source: str, tensors: Mapping[str, Any]) -> list[str]:
    if source in tensors:
        return [source]
    return [name for name in tensors if name.endswith(f".{source}")]


def same_tensors(tensors: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Pairs of names that are one tensor in memory, as tied weights are; each with the first of its names."""
    first_of: dict[tuple[Any, ...], str] = {}
    pairs = []
    for name, tensor in tensors.items():
        if tensor.numel() == 0:
            continue
        key = (tensor.data_ptr(), tuple(tensor.shape), tensor.stride(), tensor.dtype)
        if key in first_of:
            pairs.append((first_of[key], name))
        else:
            first_of[key] = name
    return pairs


def unwritable(tensors: Mapping[str, Any]) -> Iterator[str]:
    """What cannot be written as safetensors, each with the reason."""
    for name, tensor in tensors.items():
        if str(tensor.layout) != "torch.strided" or tensor.is_quantized or tensor.is_meta:
            yield f"{name} is not a dense tensor with content"
        elif str(tensor.dtype) not in DTYPE_NAMES:
            yield f"{name} has the dtype {tensor.dtype}; these can be written: {', '.join(DTYPE_NAMES)}"
