"""Reads PyTorch checkpoints, on the machine of whoever made them; the service itself unpickles nothing."""

import importlib
import pickle
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

# Where training scripts keep the state dict beside optimizers, epochs and the like.
_WRAPPING_KEYS = ("state_dict", "model_state_dict", "model_state", "model", "module", "net", "ema")


class CannotConvert(Exception):
    """The checkpoint cannot be made into a table of tensors; the message says why, and the way out."""


def import_torch() -> Any:
    """The module torch. Raises CannotConvert where it is not installed."""
    try:
        return importlib.import_module("torch")
    except ImportError as error:
        raise CannotConvert(
            f"torch is needed to read a checkpoint, and {sys.executable} cannot import it ({error}): install "
            "torch there, or run `python -m scorer_client.main convert` with a Python that has torch and "
            "this client"
        ) from None


def load_tensors(path: Path, *, trust: bool) -> tuple[dict[str, Any], list[str]]:
    """The tensors of a checkpoint by name, on the CPU; and the names of its entries that are none.

    A pickle may run any code. Only one of plain tensors is read unless `trust` is given. Raises OSError and
    CannotConvert.
    """
    with path.open("rb") as file:
        file.read(1)
    torch = import_torch()
    loaded = _load(torch, path, trust=trust)
    state = _state_dict(torch, loaded, path)
    tensors = {name: value.detach() for name, value in state.items() if torch.is_tensor(value)}
    return tensors, sorted(set(state) - set(tensors))


def _load(torch: Any, path: Path, *, trust: bool) -> Any:
    if trust:
        # So that the module that defines the model's class is found, as it was where the model was saved.
        sys.path.insert(0, str(Path.cwd()))
    try:
        # A zip archive's tensors stay on the disk until they are written.
        return torch.load(
            path, map_location="cpu", weights_only=not trust, mmap=zipfile.is_zipfile(path) or None
        )
    except pickle.UnpicklingError as error:
        if trust:
            raise CannotConvert(f"{path} is not a checkpoint of PyTorch: {_first_line(error)}") from None
        raise CannotConvert(
            f"{path} holds more than plain tensors, or is no checkpoint ({_first_line(error)}). Save the "
            "tensors alone, by torch.save(model.state_dict(), PATH); or, if you trust whoever made the file, "
            "add --trust, which runs whatever code is in it"
        ) from None
    except (AttributeError, ImportError) as error:
        raise CannotConvert(
            f"{path} needs code that is not here ({_first_line(error)}): run this in the folder of the "
            "model's module, or save the tensors alone, by torch.save(model.state_dict(), PATH)"
        ) from None
    except (RuntimeError, EOFError, ValueError) as error:
        raise CannotConvert(f"{path} is not a checkpoint of PyTorch: {_first_line(error)}") from None


def _state_dict(torch: Any, loaded: Any, path: Path) -> dict[str, Any]:
    if isinstance(loaded, torch.nn.Module):
        return dict(loaded.state_dict())
    if not isinstance(loaded, Mapping):
        raise CannotConvert(
            f"{path} holds a {type(loaded).__name__}, and neither a state dict nor a module: save it by "
            "torch.save(model.state_dict(), PATH)"
        )
    if any(torch.is_tensor(value) for value in loaded.values()):
        return {str(name): value for name, value in loaded.items()}
    inner = [
        key
        for key, value in loaded.items()
        if isinstance(value, torch.nn.Module)
        or (isinstance(value, Mapping) and any(torch.is_tensor(part) for part in value.values()))
    ]
    known = [key for key in _WRAPPING_KEYS if key in inner]
    chosen = known[:1] or inner
    if len(chosen) != 1:
        found = f"several: {', '.join(map(str, inner))}" if inner else "none"
        raise CannotConvert(
            f"{path} should hold one state dict, and has {found}; save it by "
            "torch.save(model.state_dict(), PATH)"
        )
    return _state_dict(torch, loaded[chosen[0]], path)


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
