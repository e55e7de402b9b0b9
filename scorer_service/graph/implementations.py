"""What each allowed operator does in torch: the other half of the table, with the same names."""

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.nn import functional

from scorer_service.graph.dtypes import FLOAT32_CODE
from scorer_service.graph.rules.products import explicit_equation

Implementation = Callable[..., Any]


def _same(tensor: torch.Tensor, *_: object) -> torch.Tensor:
    return tensor


def _to_float_or_same(tensor: torch.Tensor, dtype: object = None) -> torch.Tensor:
    """A cast; the table allows those only that change nothing, or turn exact integers into floats."""
    wants_float = getattr(dtype, "code", None) == FLOAT32_CODE
    return tensor.to(torch.float32) if wants_float and not tensor.is_floating_point() else tensor


def _einsum(
    equation: str, tensors: Sequence[torch.Tensor], change: Callable[[torch.Tensor], torch.Tensor] = _same
) -> torch.Tensor:
    """Einstein summation in the order that the checker counted with: from left to right.

    `change` is done to each product but the last.
    """
    if len(tensors) <= 2:
        return torch.einsum(equation, *tensors)
    terms, output = explicit_equation(equation, [tensor.dim() for tensor in tensors])
    names = {letter: index for index, letter in enumerate(dict.fromkeys("".join(terms)))}
    result, letters = tensors[0], terms[0]
    for index in range(1, len(tensors)):
        later = {letter for rest in terms[index + 1 :] for letter in rest} | set(output)
        kept = [letter for letter in dict.fromkeys(letters + terms[index]) if letter in later]
        if index == len(tensors) - 1:
            kept = list(output)
        result = torch.einsum(
            result,
            [names[letter] for letter in letters],
            tensors[index],
            [names[letter] for letter in terms[index]],
            [names[letter] for letter in kept],
        )
        letters = "".join(kept)
        if index < len(tensors) - 1:
            result = change(result)
    return result


def _sum_all(tensor: torch.Tensor, dtype: object) -> torch.Tensor:
    return torch.sum(_to_float_or_same(tensor, dtype))


def _sum_dims(tensor: torch.Tensor, dim: Any, keepdim: bool, dtype: object) -> torch.Tensor:
    dims = tuple(range(tensor.dim())) if dim in (None, ()) else dim
    return torch.sum(_to_float_or_same(tensor, dtype), dim=dims, keepdim=keepdim)


def _index(tensor: torch.Tensor, indices: Sequence[torch.Tensor | None]) -> torch.Tensor:
    # Brackets would select by an index of no dimensions, and the others' result would lie elsewhere then.
    return torch.ops.aten.index.Tensor(tensor, list(indices))


def _slice(tensor: torch.Tensor, dim: int, start: int | None, end: int | None, step: int) -> torch.Tensor:
    length = tensor.shape[dim]
    first, last, step = slice(start, end, step).indices(length)
    if step == 1:
        return tensor.narrow(dim, first, max(0, last - first))
    return tensor.movedim(dim, 0)[first:last:step].movedim(0, dim)


def _slice_scatter(
    tensor: torch.Tensor, source: torch.Tensor, dim: int, start: int | None, end: int | None, step: int
) -> torch.Tensor:
    return torch.slice_scatter(tensor, source, dim, start, end, step)


def _pad(tensor: torch.Tensor, amounts: Sequence[int], mode: str, value: float | None) -> torch.Tensor:
    return functional.pad(tensor, list(amounts), "constant", 0 if value is None else value)


def _constant_pad(tensor: torch.Tensor, amounts: Sequence[int], value: float) -> torch.Tensor:
    return functional.pad(tensor, list(amounts), "constant", value)


def _as_tuple(dims: Any) -> tuple[Any, ...]:
    """A list of numbers that may have been written as its only one."""
    return (dims,) if isinstance(dims, int) else tuple(dims)


def _move_dims(tensor: torch.Tensor, sources: object, places: object) -> torch.Tensor:
    return torch.movedim(tensor, _as_tuple(sources), _as_tuple(places))


def _filled_with(number: float) -> Implementation:
    def create(*arguments: Any, dtype: torch.dtype, device: torch.device) -> torch.Tensor:
        return torch.full(arguments[-1], number, dtype=dtype, device=device)

    return create


def _full(*arguments: Any, dtype: torch.dtype, device: torch.device) -> torch.Tensor:
    """Any operator whose last argument but the data type is the number: (..., number, dtype, shape)."""
    return torch.full(arguments[-1], arguments[-3], dtype=dtype, device=device)


def _arange(end: int, _: object, __: object, *, dtype: torch.dtype, device: torch.device) -> torch.Tensor:
    return torch.arange(end, dtype=dtype, device=device)


def _arange_start(
    start: int, end: int, _: object, __: object, *, dtype: torch.dtype, device: torch.device
) -> torch.Tensor:
    return torch.arange(start, end, dtype=dtype, device=device)


def _arange_step(
    start: int, end: int, step: int, _: object, __: object, *, dtype: torch.dtype, device: torch.device
) -> torch.Tensor:
    return torch.arange(start, end, step, dtype=dtype, device=device)


def _linspace(
    start: float, end: float, steps: int, _: object, __: object, *, dtype: torch.dtype, device: torch.device
) -> torch.Tensor:
    return torch.linspace(start, end, steps, dtype=dtype, device=device)


def _eye(*arguments: Any, dtype: torch.dtype, device: torch.device) -> torch.Tensor:
    rows, columns = arguments[-1]
    return torch.eye(rows, columns, dtype=dtype, device=device)


def _reshape(tensor: torch.Tensor, shape: tuple[int, ...]) -> torch.Tensor:
    return tensor.reshape(shape)


def _expand(tensor: torch.Tensor, shape: tuple[int, ...]) -> torch.Tensor:
    return tensor.expand(shape)


FUNCTIONS: dict[str, Implementation] = {
    "aten.add.Tensor": lambda self, other, alpha: torch.add(self, other, alpha=alpha),
    "aten.add.Scalar": lambda self, other, alpha: torch.add(self, other, alpha=alpha),
    "aten.sub.Tensor": lambda self, other, alpha: torch.sub(self, other, alpha=alpha),
    "aten.sub.Scalar": lambda self, other, alpha: torch.sub(self, other, alpha=alpha),
    "aten.rsub.Scalar": lambda self, other, alpha: torch.rsub(self, other, alpha=alpha),
    "aten.rsub.Tensor": lambda self, other, alpha: torch.rsub(self, other, alpha=alpha),
    "aten.neg.default": torch.neg,
    "aten.mul.Tensor": torch.mul,
    "aten.mul.Scalar": torch.mul,
    "aten.relu.default": torch.relu,
    "aten.sum.default": _sum_all,
    "aten.sum.dim_IntList": _sum_dims,
    "aten.linear.default": functional.linear,
    "aten.matmul.default": torch.matmul,
    "aten.mm.default": torch.mm,
    "aten.bmm.default": torch.bmm,
    "aten.mv.default": torch.mv,
    "aten.dot.default": torch.dot,
    "aten.outer.default": torch.outer,
    "aten.addmm.default": lambda self, a, b, beta, alpha: torch.addmm(self, a, b, beta=beta, alpha=alpha),
    "aten.baddbmm.default": lambda self, a, b, beta, alpha: torch.baddbmm(self, a, b, beta=beta, alpha=alpha),
    "aten.tensordot.default": lambda a, b, own, others: torch.tensordot(
        a, b, (_as_tuple(own), _as_tuple(others))
    ),
    "aten.einsum.default": _einsum,
    "aten.embedding.default": lambda weight, indices: functional.embedding(indices, weight),
    "aten.index.Tensor": _index,
    "aten.index_select.default": torch.index_select,
    "aten.gather.default": lambda self, dim, index, sparse_grad: torch.gather(self, dim, index),
    "aten.slice.Tensor": _slice,
    "aten.select.int": torch.select,
    "aten.slice_scatter.default": _slice_scatter,
    "aten.select_scatter.default": torch.select_scatter,
    "aten.copy.default": lambda self, source: source.expand(self.shape),
    "aten.cat.default": torch.cat,
    "aten.concat.default": torch.cat,
    "aten.stack.default": torch.stack,
    "aten.split.Tensor": torch.split,
    "aten.split_with_sizes.default": lambda self, sizes, dim: torch.split(self, list(_as_tuple(sizes)), dim),
    "aten.chunk.default": torch.chunk,
    "aten.unbind.int": torch.unbind,
    "aten.pad.default": _pad,
    "aten.constant_pad_nd.default": _constant_pad,
    "aten.roll.default": lambda self, shifts, dims: torch.roll(self, _as_tuple(shifts), _as_tuple(dims)),
    "aten.flip.default": lambda self, dims: torch.flip(self, _as_tuple(dims)),
    "aten.unfold.default": lambda self, dim, size, step: self.unfold(dim, size, step),
    "aten.diagonal.default": torch.diagonal,
    "aten.tril.default": torch.tril,
    "aten.triu.default": torch.triu,
    "aten.permute.default": lambda self, dims: self.permute(dims),
    "aten.transpose.int": torch.transpose,
    "aten.swapaxes.default": torch.transpose,
    "aten.swapdims.default": torch.transpose,
    "aten.t.default": lambda self: self.mT if self.dim() > 1 else self,
    "aten.mT.default": lambda self: self.mT if self.dim() > 1 else self,
    "aten.numpy_T.default": lambda self: self.permute(tuple(reversed(range(self.dim())))),
    "aten.movedim.int": _move_dims,
    "aten.movedim.intlist": _move_dims,
    "aten.unsqueeze.default": torch.unsqueeze,
    "aten.repeat.default": lambda self, repeats: self.repeat(repeats),
    "aten.tile.default": torch.tile,
    "aten.repeat_interleave.self_int": lambda self, repeats, dim: torch.repeat_interleave(self, repeats, dim),
    "aten.contiguous.default": lambda self: self.contiguous(),
    "aten.clone.default": _same,
    "aten.detach.default": _same,
    "aten.detach_.default": _same,
    "aten.alias.default": _same,
    "aten.lift_fresh_copy.default": _same,
    "aten.dropout.default": _same,
    "aten.to.dtype": _to_float_or_same,
    "aten.to.dtype_layout": _to_float_or_same,
    "aten.to.device": _to_float_or_same,
    "aten._to_copy.default": _to_float_or_same,
}
"""Called with the arguments of the table's parameters, in order."""

RESHAPES: dict[str, Implementation] = {
    "aten.view.default": _reshape,
    "aten._unsafe_view.default": _reshape,
    "aten.reshape.default": _reshape,
    "aten.view_as.default": _reshape,
    "aten.reshape_as.default": _reshape,
    "aten.flatten.using_ints": _reshape,
    "aten.unflatten.int": _reshape,
    "aten.squeeze.default": _reshape,
    "aten.squeeze.dim": _reshape,
    "aten.squeeze.dims": _reshape,
    "aten.expand.default": _expand,
    "aten.broadcast_to.default": _expand,
    "aten.expand_as.default": _expand,
}
"""Called with the first argument and the shape that the checker derived."""

CREATORS: dict[str, Implementation] = {
    "aten.zeros.default": _filled_with(0),
    "aten.ones.default": _filled_with(1),
    "aten.full.default": _full,
    "aten.zeros_like.default": _filled_with(0),
    "aten.ones_like.default": _filled_with(1),
    "aten.full_like.default": _full,
    "aten.new_zeros.default": _filled_with(0),
    "aten.new_ones.default": _filled_with(1),
    "aten.new_full.default": _full,
    "aten.arange.default": _arange,
    "aten.arange.start": _arange_start,
    "aten.arange.start_step": _arange_step,
    "aten.linspace.default": _linspace,
    "aten.eye.default": _eye,
    "aten.eye.m": _eye,
}
"""Called with the arguments, the shape that the checker derived, and data type and device as keywords."""
