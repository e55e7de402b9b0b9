"""Compiles the Triton kernels that a function launches for a GPU that need not be here. Part of check.py.

Launches are recorded and compiled, and not made: what the function returns is of no use.
"""

# mypy: disable-error-code="import-not-found"

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import kernel_compilation
import torch
import triton
from triton.runtime.autotuner import Autotuner
from triton.runtime.jit import JITFunction

_OPTIONS = {"num_warps", "num_stages", "num_ctas", "maxnreg"}


def capability_of(architecture: str) -> int:
    """As in "sm_90" -> 90. Raises ValueError."""
    digits = architecture.removeprefix("sm_").rstrip("af")
    if not (architecture.startswith("sm_") and digits.isdecimal()):
        raise ValueError(f"{architecture!r} is no architecture like sm_90")
    return int(digits)


@contextmanager
def compiled_instead_of_launched(capability: int, tell: Callable[[str], None]) -> Iterator[set[Any]]:
    """Within it every launch is compiled, once for each signature; yields those that were."""
    seen: set[Any] = set()

    def run(self: Any, *arguments: Any, grid: Any = None, warmup: bool = False, **named: Any) -> None:
        options = {name: named.pop(name) for name in _OPTIONS & named.keys()}
        parameters = inspect.signature(self.fn).bind(*arguments, **named)
        parameters.apply_defaults()
        constexpr = {parameter.name for parameter in self.params if parameter.is_constexpr}
        signature, constants = {}, {}
        for name, value in parameters.arguments.items():
            kind = "constexpr" if name in constexpr or value is None else _type_of(value)
            signature[name] = kind
            if kind == "constexpr":
                constants[name] = value
        key = (self.__name__, tuple(signature.items()), repr(constants), repr(options))
        if key in seen:
            return
        made = kernel_compilation.compile_for_gpu(
            self, signature, constants, capability=capability, warp_count=options.get("num_warps", 4)
        )
        seen.add(key)
        values = ", ".join(f"{name}={value}" for name, value in (*constants.items(), *options.items()))
        tell(f"{self.__name__}({values}) compiles for sm_{capability}: {len(made['ptx'])} bytes of PTX")

    def run_every_configuration(self: Any, *arguments: Any, **named: Any) -> None:
        # There is nothing to time them on.
        for configuration in self.configs:
            self.fn.run(*arguments, **{**named, **configuration.all_kwargs()})

    kept = JITFunction.run, Autotuner.run
    JITFunction.run, Autotuner.run = run, run_every_configuration
    try:
        yield seen
    finally:
        JITFunction.run, Autotuner.run = kept


def _type_of(value: Any) -> str:
    """The type of an argument in Triton's notation."""
    if isinstance(value, torch.Tensor):
        name = str(value.dtype).removeprefix("torch.")
        return "*" + {"bool": "i1", "float32": "fp32", "float64": "fp64", "float16": "fp16"}.get(
            name, name.replace("uint", "u").replace("int", "i").replace("bfloat", "bf")
        )
    if isinstance(value, bool):
        return "i1"
    if isinstance(value, int):
        return "i32" if -(2**31) <= value < 2**31 else "i64"
    if isinstance(value, float):
        return "fp32"
    raise TypeError(f"an argument of a kernel is a {type(value).__name__}: {triton.__version__} takes none")
