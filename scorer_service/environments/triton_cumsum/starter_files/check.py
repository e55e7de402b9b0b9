#!/usr/bin/env python3
"""Tries a solution on the public inputs, here: python3 check.py [solution.py]. Needs torch (and triton).

The service tries the same inputs first, then hidden ones, and then measures. A time that is told here is a
hint: it is not the score.
"""

# mypy: disable-error-code="import-not-found"

import argparse
import importlib.util
import os
import statistics
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path

import battery
import expected
import public_inputs
import torch

HAS_GPU = torch.cuda.is_available()
ELEMENT_COUNT = 65_536
DEVICE = "cuda" if HAS_GPU else "cpu"
TRIALS = 31
Function = Callable[[torch.Tensor], torch.Tensor]


def main() -> int:
    """0 if every public input is answered right."""
    parser = argparse.ArgumentParser(description="Tries a solution on the public inputs.")
    parser.add_argument("file", nargs="?", type=Path, default=Path("solution.py"), metavar="FILE")
    parser.add_argument(
        "--element-count", type=int, default=ELEMENT_COUNT, metavar="N", help="the size that is timed"
    )
    parser.add_argument(
        "--compile-for",
        metavar="sm_NN",
        help="compile the Triton kernels that it launches for such a GPU (sm_90: H100), and run nothing",
    )
    options = parser.parse_args()
    # Before triton is imported: without a GPU kernels run in its interpreter.
    os.environ["TRITON_INTERPRET"] = "0" if HAS_GPU or options.compile_for else "1"
    torch.set_num_threads(1)
    try:
        function = load(options.file)
    except Exception:
        return failed(f"{options.file} cannot be imported", traceback.format_exc())
    if function is None:
        return failed(f"{options.file} has no function prefix_sum")
    if options.compile_for:
        return compile_for(options.compile_for, function, options.element_count)
    return check(function, options.element_count)


def check(function: Function, element_count: int) -> int:
    """Call it with every public input."""
    cases = battery.cases(element_count, battery.public_shift)
    for number, case in enumerate(cases):
        values = public_inputs.public_input(case.contents, case.size, DEVICE)
        wanted = expected.expected_prefix_sum(values)
        try:
            output = function(values)
            if HAS_GPU:
                torch.cuda.synchronize()
        except Exception:
            return failed(f"it raised an error for {case}", traceback.format_exc())
        fault = fault_of(output, wanted)
        if fault:
            return failed(f"{fault}, for {case} ({number} of {len(cases)} public inputs were right)")
    print(f"right on all {len(cases)} public inputs, on {DEVICE}")
    print(f"{median_ms(function, element_count):.4g} ms here, the median of {TRIALS} calls with")
    print(f"{element_count:,} elements: only a hint; the score is measured by the service")
    return 0


def compile_for(architecture: str, function: Function, element_count: int) -> int:
    """Compile what it launches at the timed size."""
    try:
        import compile_kernels
    except ImportError as error:
        return failed(f"--compile-for needs triton, which cannot be imported: {error}")
    try:
        capability = compile_kernels.capability_of(architecture)
    except ValueError as error:
        return failed(str(error))
    values = public_inputs.public_input("digits", element_count, DEVICE)
    with compile_kernels.compiled_instead_of_launched(capability, print) as compiled:
        try:
            function(values)
        except Exception:
            return failed(f"it does not compile for {architecture}", traceback.format_exc())
    if not compiled:
        print("it launches no Triton kernel")
    return 0


def load(path: Path) -> Function | None:
    """The function of a file."""
    spec = importlib.util.spec_from_file_location("solution", path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules["solution"] = module
    spec.loader.exec_module(module)
    return getattr(module, "prefix_sum", None)


def fault_of(output: object, wanted: torch.Tensor) -> str:
    """What is wrong with an output; empty for nothing."""
    if not isinstance(output, torch.Tensor):
        return f"it returned {type(output).__name__}, not a tensor"
    if output.dtype != torch.int32:
        return f"the output is {output.dtype}, not torch.int32"
    if output.shape != wanted.shape:
        return f"the output has shape {tuple(output.shape)}, not {tuple(wanted.shape)}"
    if output.device.type != wanted.device.type:
        return f"the output is on {output.device}, the input on {wanted.device}"
    wrong = torch.nonzero(output != wanted)
    if len(wrong) == 0:
        return ""
    index = int(wrong[0])
    return f"out[{index}] is {int(output[index])}, not {int(wanted[index])} ({len(wrong)} elements are wrong)"


def median_ms(function: Function, element_count: int) -> float:
    """Of calls with inputs that change."""
    samples = []
    for seed in range(TRIALS):
        generator = torch.Generator(DEVICE).manual_seed(seed)
        values = torch.randint(
            -10, 10, (element_count,), dtype=torch.int32, device=DEVICE, generator=generator
        )
        synchronize()
        began = time.perf_counter()
        function(values)
        synchronize()
        samples.append(1e3 * (time.perf_counter() - began))
    return statistics.median(samples)


def synchronize() -> None:
    """Wait for the GPU, where there is one."""
    if HAS_GPU:
        torch.cuda.synchronize()


def failed(what: str, details: str = "") -> int:
    """Tell it."""
    print(f"WRONG: {what}")
    if details:
        print(details.rstrip())
    return 1


if __name__ == "__main__":
    sys.exit(main())
