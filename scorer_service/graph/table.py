"""The operators that a model may use, with the conditions on their arguments. What is not here is refused.

Each row has the overload's name, its parameters (`name=default`; `~name` is accepted and ignored, since the
worker decides where tensors lie), the rule that checks a call and derives what it makes, and why the row is
here.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from scorer_service.graph.call import Call, Parameter, Result, parse_parameters
from scorer_service.graph.rules import creation, elementwise, indexing, products, reshaping

_MAKES = "dtype=None ~layout ~device ~pin_memory ~memory_format"


@dataclass(frozen=True)
class Operator:
    """One allowed overload."""

    name: str
    notation: str
    """Its parameters, as `parse_parameters` reads them."""
    rule: Callable[[Call], Result]
    reason: str
    is_view: bool = False
    """The result shares the first tensor's memory. One that shows elements more than once counts as memory
    of its own: a product takes a copy with all of them."""
    makes_list: bool = False
    """It makes a list of tensors, be it of one."""
    parameters: tuple[Parameter, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "parameters", parse_parameters(self.notation))


@dataclass(frozen=True)
class Family:
    """Operators with a condition in common."""

    title: str
    condition: str
    """What is asked of every call, as the generated page says it."""
    operators: tuple[Operator, ...]


_IDENTITY = "leaves every number as it is"
_SHAPE = "only says how elements are arranged"
_POSITION = "reads elements by their position"
_CONSTANT = "makes a constant that is fixed beforehand"

FAMILIES = (
    Family(
        "Addition, multiplication, relu, sum",
        "Numbers in the code are finite and at most 65,536 in magnitude. Integers are tokens, constants, "
        "and their sums and products; their range is derived and must not leave 64 bits, nor 2**24 where "
        "they meet floats. Sums do not go over the batch.",
        (
            Operator("aten.add.Tensor", "self other alpha=1", elementwise.add, "addition"),
            Operator("aten.add.Scalar", "self other alpha=1", elementwise.add, "addition of a number"),
            Operator(
                "aten.sub.Tensor", "self other alpha=1", elementwise.subtract, "addition of -1 times a tensor"
            ),
            Operator("aten.sub.Scalar", "self other alpha=1", elementwise.subtract, "addition of a number"),
            Operator(
                "aten.rsub.Scalar",
                "self other alpha=1",
                elementwise.subtract_reversed,
                "addition to a number",
            ),
            Operator("aten.rsub.Tensor", "self other alpha=1", elementwise.subtract_reversed, "addition"),
            Operator("aten.neg.default", "self", elementwise.negate, "multiplication by -1"),
            Operator(
                "aten.mul.Tensor",
                "self other",
                elementwise.multiply,
                "multiplication; x * x is its own square",
            ),
            Operator("aten.mul.Scalar", "self other", elementwise.multiply, "multiplication by a number"),
            Operator(
                "aten.relu.default", "self", elementwise.relu, "the one nonlinearity of the task; of floats"
            ),
            Operator("aten.sum.default", "self dtype=None", elementwise.sum_all, "sum"),
            Operator(
                "aten.sum.dim_IntList", "self dim=None keepdim=False dtype=None", elementwise.sum_dims, "sum"
            ),
        ),
    ),
    Family(
        "Products",
        "Floats only. Neither the batch nor anything that contains it is summed over, and two tensors "
        "that have a batch meet with their batches side by side.",
        (
            Operator("aten.linear.default", "input weight bias=None", products.linear, "torch.nn.Linear"),
            Operator("aten.matmul.default", "self other", products.matmul, "matrix product"),
            Operator("aten.mm.default", "self mat2", products.matrix_times_matrix, "matrix product"),
            Operator("aten.bmm.default", "self mat2", products.batched_matrices, "matrix products"),
            Operator("aten.mv.default", "self vec", products.matrix_times_vector, "matrix product"),
            Operator("aten.dot.default", "self tensor", products.vector_times_vector, "matrix product"),
            Operator("aten.outer.default", "self vec2", products.outer, "matrix product"),
            Operator(
                "aten.addmm.default",
                "self mat1 mat2 beta=1 alpha=1",
                products.add_product,
                "sum and matrix product",
            ),
            Operator(
                "aten.baddbmm.default",
                "self batch1 batch2 beta=1 alpha=1",
                products.add_batched_product,
                "sum and matrix products",
            ),
            Operator(
                "aten.tensordot.default",
                "self other dims_self dims_other",
                products.tensordot,
                "multiply and sum",
            ),
            Operator(
                "aten.einsum.default",
                "equation tensors ~path",
                products.einsum,
                "multiply and sum; no letter twice in one tensor; more than two tensors go from left to "
                "right",
            ),
        ),
    ),
    Family(
        "Looking up and arranging by position",
        "Indices are integers made from tokens and constants, and the checker proves from their range "
        "that they stay inside of what they index. The batch is never selected from, joined along, "
        "shifted or split.",
        (
            Operator(
                "aten.embedding.default",
                "weight indices ~padding_idx ~scale_grad_by_freq ~sparse",
                indexing.embedding,
                "torch.nn.Embedding, and tables of n-grams",
            ),
            Operator(
                "aten.index.Tensor", "self indices", indexing.index, "x[i] with i from tokens and constants"
            ),
            Operator("aten.index_select.default", "self dim index", indexing.index_select, _POSITION),
            Operator("aten.gather.default", "self dim index sparse_grad=False", indexing.gather, _POSITION),
            Operator(
                "aten.slice.Tensor",
                "self dim=0 start=None end=None step=1",
                indexing.slice_range,
                _POSITION,
                is_view=True,
            ),
            Operator("aten.select.int", "self dim index", indexing.select, _POSITION, is_view=True),
            Operator(
                "aten.slice_scatter.default",
                "self src dim=0 start=None end=None step=1",
                indexing.slice_scatter,
                "x[:, 1:] = y, once it is written as a function",
            ),
            Operator(
                "aten.select_scatter.default",
                "self src dim index",
                indexing.select_scatter,
                "x[:, 0] = y, once it is written as a function",
            ),
            Operator("aten.copy.default", "self src ~non_blocking", indexing.copy, "x[:] = y as a function"),
            Operator("aten.cat.default", "tensors dim=0", indexing.concatenate, "joins tensors"),
            Operator("aten.concat.default", "tensors dim=0", indexing.concatenate, "joins tensors"),
            Operator("aten.stack.default", "tensors dim=0", indexing.stack, "joins tensors"),
            Operator(
                "aten.split.Tensor",
                "self split_size dim=0",
                indexing.split,
                _POSITION,
                is_view=True,
                makes_list=True,
            ),
            Operator(
                "aten.split_with_sizes.default",
                "self split_sizes dim=0",
                indexing.split_sizes,
                _POSITION,
                is_view=True,
                makes_list=True,
            ),
            Operator(
                "aten.chunk.default",
                "self chunks dim=0",
                indexing.chunk,
                _POSITION,
                is_view=True,
                makes_list=True,
            ),
            Operator(
                "aten.unbind.int", "self dim=0", indexing.unbind, _POSITION, is_view=True, makes_list=True
            ),
            Operator(
                "aten.pad.default",
                "self pad mode='constant' value=None",
                indexing.pad,
                "joins constants to a tensor; mode 'constant' only",
            ),
            Operator(
                "aten.constant_pad_nd.default",
                "self pad value=0",
                indexing.pad,
                "joins constants to a tensor",
            ),
            Operator(
                "aten.roll.default", "self shifts dims=()", indexing.roll, "a shift; dimensions must be named"
            ),
            Operator("aten.flip.default", "self dims", indexing.flip, _POSITION),
            Operator(
                "aten.unfold.default",
                "self dimension size step",
                indexing.unfold,
                "windows by position",
            ),
            Operator(
                "aten.diagonal.default",
                "self offset=0 dim1=0 dim2=1",
                indexing.diagonal,
                _POSITION,
                is_view=True,
            ),
            Operator(
                "aten.tril.default", "self diagonal=0", indexing.triangle, "multiplies by a constant mask"
            ),
            Operator(
                "aten.triu.default", "self diagonal=0", indexing.triangle, "multiplies by a constant mask"
            ),
        ),
    ),
    Family(
        "Reshaping",
        "The batch may be flattened together with dimensions after it and split off again, never with one "
        "before it: then rows would mix.",
        (
            Operator("aten.view.default", "self size", reshaping.to_size, _SHAPE),
            Operator("aten._unsafe_view.default", "self size", reshaping.to_size, _SHAPE),
            Operator("aten.reshape.default", "self shape", reshaping.to_shape, _SHAPE),
            Operator("aten.view_as.default", "self other", reshaping.like_other, _SHAPE),
            Operator("aten.reshape_as.default", "self other", reshaping.like_other, _SHAPE),
            Operator(
                "aten.flatten.using_ints",
                "self start_dim=0 end_dim=-1",
                reshaping.flatten,
                "torch.nn.Flatten",
            ),
            Operator("aten.unflatten.int", "self dim sizes", reshaping.unflatten, "torch.nn.Unflatten"),
            Operator("aten.permute.default", "self dims", reshaping.permute, _SHAPE, is_view=True),
            Operator("aten.transpose.int", "self dim0 dim1", reshaping.transpose, _SHAPE, is_view=True),
            Operator("aten.swapaxes.default", "self axis0 axis1", reshaping.swap_axes, _SHAPE, is_view=True),
            Operator("aten.swapdims.default", "self dim0 dim1", reshaping.transpose, _SHAPE, is_view=True),
            Operator("aten.t.default", "self", reshaping.transpose_matrix, _SHAPE, is_view=True),
            Operator("aten.mT.default", "self", reshaping.transpose_matrix, _SHAPE, is_view=True),
            Operator("aten.numpy_T.default", "self", reshaping.reverse_dims, _SHAPE, is_view=True),
            Operator(
                "aten.movedim.int", "self source destination", reshaping.move_dims, _SHAPE, is_view=True
            ),
            Operator(
                "aten.movedim.intlist", "self source destination", reshaping.move_dims, _SHAPE, is_view=True
            ),
            Operator("aten.squeeze.default", "self", reshaping.squeeze, _SHAPE, is_view=True),
            Operator("aten.squeeze.dim", "self dim", reshaping.squeeze, _SHAPE, is_view=True),
            Operator("aten.squeeze.dims", "self dim", reshaping.squeeze, _SHAPE, is_view=True),
            Operator("aten.unsqueeze.default", "self dim", reshaping.unsqueeze, _SHAPE, is_view=True),
            Operator("aten.expand.default", "self size ~implicit", reshaping.expand, _SHAPE),
            Operator("aten.broadcast_to.default", "self size", reshaping.expand, _SHAPE),
            Operator("aten.expand_as.default", "self other", reshaping.expand_as, _SHAPE),
            Operator("aten.repeat.default", "self repeats", reshaping.repeat, _SHAPE),
            Operator("aten.tile.default", "self dims", reshaping.tile, _SHAPE),
            Operator(
                "aten.repeat_interleave.self_int",
                "self repeats dim=None ~output_size",
                reshaping.repeat_each,
                _SHAPE,
            ),
        ),
    ),
    Family(
        "Nothing but the same numbers",
        "Casts only between equal types, and from integers up to 2**24 to float32: every other cast "
        "rounds. Dropout only outside of training.",
        (
            Operator("aten.contiguous.default", "self ~memory_format", reshaping.same, _IDENTITY),
            Operator("aten.clone.default", "self ~memory_format", reshaping.same, _IDENTITY),
            Operator("aten.detach.default", "self", reshaping.same, _IDENTITY, is_view=True),
            Operator("aten.detach_.default", "self", reshaping.same, _IDENTITY, is_view=True),
            Operator("aten.alias.default", "self", reshaping.same, _IDENTITY, is_view=True),
            Operator("aten.lift_fresh_copy.default", "self", reshaping.same, _IDENTITY),
            Operator("aten.dropout.default", "input p train", reshaping.dropout, _IDENTITY, is_view=True),
            Operator(
                "aten.to.dtype",
                "self dtype ~non_blocking ~copy ~memory_format",
                reshaping.cast,
                "an exact cast",
            ),
            Operator(
                "aten.to.dtype_layout",
                "self dtype=None ~layout ~device ~pin_memory ~non_blocking ~copy ~memory_format",
                reshaping.cast,
                "an exact cast",
            ),
            Operator(
                "aten.to.device",
                "self ~device dtype ~non_blocking ~copy ~memory_format",
                reshaping.cast,
                "an exact cast",
            ),
            Operator(
                "aten._to_copy.default",
                "self dtype=None ~layout ~device ~pin_memory ~non_blocking ~memory_format",
                reshaping.cast,
                "an exact cast",
            ),
            Operator(
                "aten._assert_tensor_metadata.default",
                "a ~size ~stride ~dtype ~device ~layout",
                reshaping.nothing,
                "the exporter writes it before a cast; it computes nothing",
            ),
        ),
    ),
    Family(
        "Constants",
        "Numbers are finite and at most 65,536 in magnitude; float32 and int64 only.",
        (
            Operator("aten.zeros.default", f"size {_MAKES}", creation.zeros, _CONSTANT),
            Operator("aten.ones.default", f"size {_MAKES}", creation.ones, _CONSTANT),
            Operator("aten.full.default", f"size fill_value {_MAKES}", creation.full, _CONSTANT),
            Operator("aten.zeros_like.default", f"self {_MAKES}", creation.zeros_like, _CONSTANT),
            Operator("aten.ones_like.default", f"self {_MAKES}", creation.ones_like, _CONSTANT),
            Operator("aten.full_like.default", f"self fill_value {_MAKES}", creation.full_like, _CONSTANT),
            Operator("aten.new_zeros.default", f"self size {_MAKES}", creation.new_zeros, _CONSTANT),
            Operator("aten.new_ones.default", f"self size {_MAKES}", creation.new_ones, _CONSTANT),
            Operator("aten.new_full.default", f"self size fill_value {_MAKES}", creation.new_full, _CONSTANT),
            Operator("aten.arange.default", f"end {_MAKES}", creation.arange, _CONSTANT),
            Operator("aten.arange.start", f"start end {_MAKES}", creation.arange, _CONSTANT),
            Operator("aten.arange.start_step", f"start end step=1 {_MAKES}", creation.arange, _CONSTANT),
            Operator("aten.linspace.default", f"start end steps {_MAKES}", creation.linspace, _CONSTANT),
            Operator("aten.eye.default", f"n {_MAKES}", creation.eye, _CONSTANT),
            Operator("aten.eye.m", f"n m {_MAKES}", creation.eye, _CONSTANT),
        ),
    ),
    Family(
        "Sizes",
        "The batch's size may be used in sizes, never as a number to compute with.",
        (
            Operator(
                "aten.sym_size.int", "self dim", reshaping.size_of, "x.shape[0], for use in other sizes"
            ),
            Operator(
                "_operator.mul", "a b", reshaping.multiply_sizes, "a product of sizes, for use in other sizes"
            ),
        ),
    ),
)

ALLOWED = {operator.name: operator for family in FAMILIES for operator in family.operators}
"""Every allowed overload by name."""
