"""Matrix products in all their spellings. They take floats only."""

import re

from scorer_service.graph.call import NUMBER_LIMIT, Call
from scorer_service.graph.shapes import (
    ONE,
    Extent,
    RuleBroken,
    Shape,
    broadcast,
    check_shape,
    describe_shape,
    keep_rows_apart,
    normal_dim,
)
from scorer_service.graph.values import Value, floats

_EQUATION = re.compile(r"([A-Za-z.]+(?:,[A-Za-z.]+)*)(?:->([A-Za-z.]*))?")
_FREE_LETTERS = "01234567"
"""Stand for the dimensions that an ellipsis covers."""


def linear(call: Call) -> Value:
    """input @ weight.T + bias."""
    shape, weight = call.float_tensor("input").shape, call.float_tensor("weight").shape
    bias = call.optional_float_tensor("bias")
    if not shape or len(weight) != 2:
        raise RuleBroken(f"multiplies {describe_shape(shape)} by a weight of shape {describe_shape(weight)}")
    _contract(shape, -1, weight, -1)
    result = check_shape((*shape[:-1], weight[0]))
    if bias is not None and bias.shape != (weight[0],):
        raise RuleBroken(f"adds a bias of shape {describe_shape(bias.shape)} to {describe_shape(result)}")
    return floats(result)


def matmul(call: Call) -> Value:
    """self @ other, of any ranks."""
    return floats(_matmul_shape(call, call.float_tensor("self").shape, call.float_tensor("other").shape))


def matrix_times_matrix(call: Call) -> Value:
    """self @ mat2, of two matrices."""
    return floats(_product_of_rank(call, "self", 2, "mat2", 2))


def batched_matrices(call: Call) -> Value:
    """self @ mat2, of two batches of matrices with the same number of matrices."""
    _as_many_matrices(call, "self", "mat2")
    return floats(_product_of_rank(call, "self", 3, "mat2", 3))


def matrix_times_vector(call: Call) -> Value:
    """self @ vec."""
    return floats(_product_of_rank(call, "self", 2, "vec", 1))


def vector_times_vector(call: Call) -> Value:
    """The inner product of two vectors."""
    return floats(_product_of_rank(call, "self", 1, "tensor", 1))


def outer(call: Call) -> Value:
    """Every element of one vector times every element of the other."""
    first, second = call.float_tensor("self").shape, call.float_tensor("vec2").shape
    if len(first) != 1 or len(second) != 1:
        raise RuleBroken("takes two vectors")
    return floats(check_shape(first + second))


def add_product(call: Call) -> Value:
    """beta * self + alpha * (mat1 @ mat2), of matrices."""
    return _add_product(call, "mat1", "mat2", 2)


def add_batched_product(call: Call) -> Value:
    """beta * self + alpha * (batch1 @ batch2), of batches of matrices."""
    _as_many_matrices(call, "batch1", "batch2")
    return _add_product(call, "batch1", "batch2", 3)


def tensordot(call: Call) -> Value:
    """Multiply and sum over pairs of dimensions."""
    first, second = call.float_tensor("self").shape, call.float_tensor("other").shape
    own = [normal_dim(dim, len(first)) for dim in call.integers("dims_self")]
    others = [normal_dim(dim, len(second)) for dim in call.integers("dims_other")]
    if len(own) != len(others) or len(set(own)) != len(own) or len(set(others)) != len(others):
        raise RuleBroken("pairs dimensions unevenly")
    for dim, other in zip(own, others, strict=True):
        _contract(first, dim, second, other)
    kept = [extent for dim, extent in enumerate(first) if dim not in own]
    kept += [extent for dim, extent in enumerate(second) if dim not in others]
    return floats(check_shape(tuple(kept)))


def einsum(call: Call) -> Value:
    """Einstein summation; more than two tensors are multiplied from left to right."""
    shapes = [value.shape for value in call.tensors("tensors")]
    for index in range(len(shapes)):
        Call({"tensors": call.tensors("tensors")[index]}).float_tensor("tensors")
    terms, output = _parse_equation(call.text("equation"), shapes)
    sizes: dict[str, Extent] = {}
    for term, shape in zip(terms, shapes, strict=True):
        if len(term) != len(shape):
            raise RuleBroken(f"names {len(term)} dimensions of a tensor of {len(shape)}")
        if len(set(term)) != len(term):
            raise RuleBroken(
                "names a dimension of one tensor twice, which takes its diagonal; multiply by a mask"
            )
        for letter, extent in zip(term, shape, strict=True):
            known = sizes.setdefault(letter, extent)
            if known != extent and ONE not in (known, extent):
                raise RuleBroken(f"uses one letter for sizes {known} and {extent}")
            if known == ONE:
                sizes[letter] = extent
    if len(set(output)) != len(output) or not set(output) <= set(sizes):
        raise RuleBroken("has letters in its result that are none of its tensors', or twice")
    for letter, extent in sizes.items():
        if letter not in output:
            keep_rows_apart((extent,), 0, "sums over")
    letters = terms[0]
    for index, term in enumerate(terms[1:], start=1):
        later = {letter for rest in terms[index + 1 :] for letter in rest} | set(output)
        letters = "".join(letter for letter in dict.fromkeys(letters + term) if letter in later)
        call.scratch.append(check_shape(tuple(sizes[letter] for letter in letters)))
    return floats(check_shape(tuple(sizes[letter] for letter in output)))


def explicit_equation(equation: str, ranks: list[int]) -> tuple[list[str], str]:
    """Split an equation into each tensor's letters and the result's, ellipses written out.

    Raises RuleBroken for an equation that is none.
    """
    match = _EQUATION.fullmatch(equation.replace(" ", ""))
    terms = match.group(1).split(",") if match else []
    if match is None or len(terms) != len(ranks):
        raise RuleBroken(f"has an equation {equation!r} that does not fit its {len(ranks)} tensors")
    output = match.group(2)
    widest = max(
        (rank - len(term) + 3 for term, rank in zip(terms, ranks, strict=True) if "..." in term), default=0
    )
    if not 0 <= widest <= len(_FREE_LETTERS):
        raise RuleBroken(f"has an ellipsis that does not fit its tensors: {equation!r}")
    expanded = []
    for term, rank in zip(terms, ranks, strict=True):
        width = max(rank - len(term) + 3, 0)
        expanded.append(term.replace("...", _FREE_LETTERS[widest - width : widest], 1))
    if output is None:
        letters = sorted("".join(term.replace("...", "", 1) for term in terms))
        output = ("..." if widest else "") + "".join(x for x in letters if letters.count(x) == 1)
    output = output.replace("...", _FREE_LETTERS[:widest], 1)
    if any("." in term for term in (*expanded, output)):
        raise RuleBroken(f"has a point in its equation that belongs to no ellipsis: {equation!r}")
    return expanded, output


def _parse_equation(equation: str, shapes: list[Shape]) -> tuple[list[str], str]:
    return explicit_equation(equation, [len(shape) for shape in shapes])


def _add_product(call: Call, first: str, second: str, rank: int) -> Value:
    for name in ("beta", "alpha"):
        if abs(number := call.number(name)) > NUMBER_LIMIT:
            raise RuleBroken(f"scales by {number:g}; {NUMBER_LIMIT:g} is the limit")
    product = _product_of_rank(call, first, rank, second, rank)
    added = call.float_tensor("self").shape
    if broadcast(added, product) != product:
        raise RuleBroken(f"adds {describe_shape(added)} to a product of shape {describe_shape(product)}")
    return floats(product)


def _as_many_matrices(call: Call, first: str, second: str) -> None:
    """One matrix is not multiplied by each of many here, as `matmul` does."""
    a, b = call.float_tensor(first).shape, call.float_tensor(second).shape
    if len(a) == 3 and len(b) == 3 and a[0] != b[0]:
        raise RuleBroken(f"multiplies {a[0]} matrices by {b[0]}")


def _product_of_rank(call: Call, first: str, first_rank: int, second: str, second_rank: int) -> Shape:
    a, b = call.float_tensor(first).shape, call.float_tensor(second).shape
    if len(a) != first_rank or len(b) != second_rank:
        raise RuleBroken(f"multiplies {describe_shape(a)} by {describe_shape(b)}")
    return _matmul_shape(call, a, b)


def _matmul_shape(call: Call, first: Shape, second: Shape) -> Shape:
    if not first or not second:
        raise RuleBroken("multiplies a single number as if it were a matrix; use *")
    _contract(first, -1, second, -2 if len(second) > 1 else -1)
    batch = broadcast(first[:-2], second[:-2])
    for shape in (first, second):
        if len(shape) > 1 and shape[:-2] != batch:
            call.scratch.append(check_shape(batch + shape[-2:]))
    rows = first[-2:-1] if len(first) > 1 else ()
    columns = second[-1:] if len(second) > 1 else ()
    return check_shape(batch + rows + columns)


def _contract(first: Shape, dim: int, second: Shape, other: int) -> None:
    """Check that two dimensions can be multiplied and summed over."""
    if first[dim] != second[other]:
        raise RuleBroken(f"multiplies {describe_shape(first)} by {describe_shape(second)}")
    keep_rows_apart(first, dim, "sums over")
