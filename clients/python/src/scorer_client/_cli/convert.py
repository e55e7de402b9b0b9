"""`scorer-client convert`: makes safetensors of a PyTorch checkpoint, here and not on the server."""

import argparse
from pathlib import Path
from typing import Any

from scorer_client._checkpoint import CannotConvert, import_torch, load_tensors
from scorer_client._cli.exit_status import ExitStatus, UsageError
from scorer_client._cli.terminal import printable, say, table
from scorer_client._safetensors_file import DTYPE_NAMES, NotSafetensors, read_table, write_tensors
from scorer_client._tensor_names import (
    chosen_by,
    read_name_table,
    same_tensors,
    transposed_conv1d,
    unwritable,
    without_prefixes,
)

_SUFFIX = ".safetensors"


def add_command(
    commands: "argparse._SubParsersAction[argparse.ArgumentParser]", parent: argparse.ArgumentParser
) -> None:
    """Adds the command. It asks no server, and takes no option of a connection."""
    parser = commands.add_parser(
        "convert",
        help="make safetensors of a PyTorch checkpoint (needs torch)",
        description="Makes a safetensors file, which the service takes, of a checkpoint of PyTorch, which it "
        "never opens. Needs torch where this command is installed.",
    )
    parser.add_argument(
        "checkpoint", type=Path, metavar="CHECKPOINT", help="what torch.save wrote: a state dict, or a module"
    )
    parser.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help=f"default: CHECKPOINT with the suffix {_SUFFIX}"
    )
    parser.add_argument("--force", action="store_true", help="write over FILE where it exists")
    parser.add_argument(
        "--names-from",
        type=Path,
        metavar="TABLE",
        help=f"write these tensors alone: the names and shapes of another {_SUFFIX} file, such as the "
        "starter's model; or a text with a name a line, or with the checkpoint's name and the new one",
    )
    parser.add_argument(
        "--transpose-conv1d",
        action="store_true",
        help="transpose the weights of GPT-2's Conv1D (c_attn, c_fc, c_proj), for models with Linear there",
    )
    parser.add_argument(
        "--dtype",
        choices=("float32", "float16", "bfloat16"),
        help="make all floating-point tensors of this type (default: as they are)",
    )
    parser.add_argument(
        "--trust",
        action="store_true",
        help="unpickle a whole module or other objects; this runs whatever code the file has in it",
    )
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> ExitStatus:
    source: Path = arguments.checkpoint
    output: Path = arguments.output or source.with_suffix(_SUFFIX)
    try:
        if source.suffix == _SUFFIX or _is_safetensors(source):
            raise UsageError(f"{source} is a safetensors file already: score it as it is")
        if output.exists() and not arguments.force:
            raise UsageError(f"{output} exists: choose another file with -o, or write over it with --force")
        wanted = read_name_table(arguments.names_from) if arguments.names_from else None
        tensors, others = load_tensors(source, trust=arguments.trust)
        if others:
            say(f"left out, as they are no tensors: {', '.join(others)}")
        tensors = without_prefixes(tensors)
        if arguments.transpose_conv1d:
            tensors = transposed_conv1d(tensors)
        if wanted is not None:
            chosen = chosen_by(wanted, tensors)
            _tell_of_left_out(tensors, chosen)
            tensors = chosen
        if not tensors:
            raise CannotConvert(f"{source} has no tensors")
        if wrong := list(unwritable(tensors)):
            raise CannotConvert("\n  ".join([f"{source} cannot be written as safetensors:", *wrong]))
    except CannotConvert as error:
        raise UsageError(str(error)) from None
    _warn(tensors)
    if arguments.dtype is not None:
        tensors = _cast(tensors, arguments.dtype)
    write_tensors(output, {name: tensor.contiguous() for name, tensor in tensors.items()})
    _print(tensors, output)
    return ExitStatus.OK


def _is_safetensors(path: Path) -> bool:
    try:
        return bool(read_table(path))
    except NotSafetensors:
        return False


def _tell_of_left_out(tensors: dict[str, Any], chosen: dict[str, Any]) -> None:
    kept = {id(tensor) for tensor in chosen.values()}
    left_out = [name for name, tensor in tensors.items() if id(tensor) not in kept]
    if left_out:
        say(f"left out, as --names-from has no use for them: {', '.join(left_out)}")


def _warn(tensors: dict[str, Any]) -> None:
    for first, second in same_tensors(tensors):
        say(f"{second} is the same tensor as {first}: both are written (--names-from chooses)")
    for name, tensor in tensors.items():
        if tensor.is_floating_point() and not tensor.isfinite().all():
            say(f"{name} has values that are not finite, which the service refuses")


def _cast(tensors: dict[str, Any], dtype: str) -> dict[str, Any]:
    target = getattr(import_torch(), dtype)
    return {
        name: tensor.to(target) if tensor.is_floating_point() else tensor for name, tensor in tensors.items()
    }


def _print(tensors: dict[str, Any], output: Path) -> None:
    rows = [
        (name, DTYPE_NAMES[str(tensor.dtype)], " x ".join(map(str, tensor.shape)) or "scalar")
        for name, tensor in tensors.items()
    ]
    print(table(("tensor", "dtype", "shape"), rows))
    size = output.stat().st_size
    print(f"wrote {len(tensors)} tensors, {size:,} bytes, to {printable(str(output))}")
