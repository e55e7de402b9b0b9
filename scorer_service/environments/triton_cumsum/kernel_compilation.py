"""Compiles Triton kernels for a GPU on a machine that has none, so that their compile errors are real
everywhere."""

from collections.abc import Mapping
from typing import Any

import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


class InterpretedKernel(ValueError):
    """Triton was imported with TRITON_INTERPRET=1, under which kernels are not compiled."""


def compile_for_gpu(
    kernel: Any,
    signature: Mapping[str, str],
    constants: Mapping[str, Any] | None = None,
    *,
    capability: int = 90,
    warp_count: int = 4,
) -> Mapping[str, str | bytes]:
    """What Triton makes of a `@triton.jit` function for an NVIDIA GPU: "ttir", "llir", "ptx", "cubin" and
    so on.

    `signature` has the type of each parameter in Triton's notation ("*i32", "i32"), or "constexpr" with its
    value in `constants`. `capability` is 10 times the compute capability: 80 for an A100, 90 for an H100.

    Raises triton's CompilationError, with the line, for what cannot be compiled, and InterpretedKernel.
    """
    if not isinstance(kernel, triton.runtime.jit.JITFunction):
        raise InterpretedKernel(
            f"{kernel} is a {type(kernel).__name__}, not a kernel to compile; "
            "import it without TRITON_INTERPRET=1 in the environment"
        )
    source = ASTSource(fn=kernel, signature=dict(signature), constexprs=dict(constants or {}))
    target = GPUTarget("cuda", capability, 32)
    compiled = triton.compile(source, target=target, options={"num_warps": warp_count})
    return dict(compiled.asm)
