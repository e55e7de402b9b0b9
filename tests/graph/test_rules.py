"""What a rule derives and refuses by itself, without an archive's claims beside it."""

import pytest

from scorer_service.graph.call import NUMBER_LIMIT, Call
from scorer_service.graph.dtypes import DTYPES, Kind
from scorer_service.graph.program import DtypeCode
from scorer_service.graph.rules import creation, elementwise, indexing, products, reshaping
from scorer_service.graph.rules.products import explicit_equation
from scorer_service.graph.shapes import (
    BATCH,
    RANK_LIMIT,
    SIZE_LIMIT,
    Extent,
    RuleBroken,
    broadcast,
    describe_shape,
    plain,
    reshape,
)
from scorer_service.graph.values import floats, integers

ROWS = floats((BATCH, *plain(16, 8)))
TOKENS = integers((BATCH, *plain(16)), 0, 22)


@pytest.mark.parametrize(
    ("shape", "sizes", "result"),
    [
        ((BATCH, *plain(16, 8)), (None, *plain(8)), "[16*batch, 8]"),
        ((Extent(16, per_row=True), *plain(8)), (BATCH, *plain(16, 8)), "[batch, 16, 8]"),
        ((Extent(16, per_row=True), *plain(8)), (None, *plain(16, 8)), "[batch, 16, 8]"),
        ((*plain(3), BATCH, *plain(4)), (*plain(3), None), "[3, 4*batch]"),
        ((*plain(1), BATCH), (BATCH,), "[batch]"),
    ],
)
def test_a_batch_may_be_merged_with_what_follows_it(
    shape: tuple[Extent, ...], sizes: tuple[Extent | None, ...], result: str
) -> None:
    assert describe_shape(reshape(shape, sizes)) == result


@pytest.mark.parametrize(
    ("shape", "sizes"),
    [
        ((*plain(16), BATCH, *plain(8)), (None, *plain(8))),
        ((Extent(16, per_row=True), *plain(8)), (*plain(16), BATCH, *plain(8))),
        ((BATCH, *plain(16)), (*plain(16), BATCH)),
        ((BATCH, *plain(16)), plain(16)),
        (plain(16), (BATCH, None)),
        (plain(0, 4), (*plain(0), None)),
        (plain(4), (None, None)),
    ],
)
def test_a_batch_may_not_be_merged_with_what_precedes_it(
    shape: tuple[Extent, ...], sizes: tuple[Extent | None, ...]
) -> None:
    with pytest.raises(RuleBroken):
        reshape(shape, sizes)


def test_two_batches_never_stand_in_one_tensor() -> None:
    with pytest.raises(RuleBroken, match="rows of the batch"):
        broadcast((BATCH, *plain(1)), (BATCH,))
    with pytest.raises(RuleBroken, match="do not fit each other for every batch"):
        broadcast((BATCH,), plain(8))
    with pytest.raises(RuleBroken, match="rows of the batch"):
        products.matmul(Call({"self": floats((*plain(8), BATCH)), "other": floats((BATCH, *plain(8)))}))


def test_floats_never_become_integers() -> None:
    with pytest.raises(RuleBroken, match="turns floats into integers"):
        reshaping.cast(Call({"self": ROWS, "dtype": DtypeCode(5)}))
    with pytest.raises(RuleBroken, match="float16"):
        reshaping.cast(Call({"self": ROWS, "dtype": DtypeCode(6)}))
    assert reshaping.cast(Call({"self": TOKENS, "dtype": DtypeCode(7)})).kind is Kind.FLOAT


def test_integers_never_wrap_around() -> None:
    assert elementwise.multiply(Call({"self": TOKENS, "other": -3})) == integers(TOKENS.shape, -66, 0)
    with pytest.raises(RuleBroken, match="wrap around"):
        elementwise.multiply(Call({"self": TOKENS, "other": 1 << 60}))
    with pytest.raises(RuleBroken, match="wrap around"):
        elementwise.add(Call({"self": integers((), 0, (1 << 63) - 1), "other": 1, "alpha": 1}))
    with pytest.raises(RuleBroken, match="wrap around"):
        elementwise.sum_dims(
            Call({"self": integers(plain(4), 0, 1 << 62), "dim": (0,), "keepdim": False, "dtype": None})
        )


def test_ranges_of_sums_and_differences() -> None:
    other = integers(plain(16), -5, 7)
    assert elementwise.add(Call({"self": TOKENS, "other": other, "alpha": 2})) == integers(
        TOKENS.shape, -10, 36
    )
    assert elementwise.subtract(Call({"self": TOKENS, "other": other, "alpha": 1})) == integers(
        TOKENS.shape, -7, 27
    )
    assert elementwise.subtract_reversed(Call({"self": TOKENS, "other": 1, "alpha": 2})) == integers(
        TOKENS.shape, -43, 1
    )
    assert elementwise.negate(Call({"self": other})) == integers(plain(16), -7, 5)


def test_pieces_are_counted_before_they_are_made() -> None:
    huge = floats(plain(0, 1 << 32))
    for rule, bound in (
        (indexing.split, {"split_size": 1}),
        (indexing.chunk, {"chunks": 1 << 32}),
        (indexing.unbind, {}),
    ):
        with pytest.raises(RuleBroken, match="4096 is the limit"):
            rule(Call({"self": huge, "dim": 1, **bound}))


def test_ellipses_and_missing_results_are_written_out() -> None:
    assert explicit_equation("...d,de", [3, 2]) == (["01d", "de"], "01e")
    assert explicit_equation("a...,b...->...ab", [2, 3]) == (["a1", "b01"], "01ab")
    assert explicit_equation(" ij, jk ", [2, 2]) == (["ij", "jk"], "ik")
    for equation in ("ij,jk->i..", "i.j,jk", "ij", "ij,jk,kl", "ij;jk", "...d...,de"):
        with pytest.raises(RuleBroken):
            explicit_equation(equation, [2, 2])


def test_a_shape_has_as_many_sizes_as_the_limit_says() -> None:
    assert len(reshape(plain(4), (*plain(4), *plain(1) * (RANK_LIMIT - 1)))) == RANK_LIMIT
    with pytest.raises(RuleBroken, match=f"of {RANK_LIMIT + 1} dimensions; {RANK_LIMIT} is the limit"):
        reshape(plain(4), (*plain(4), *plain(1) * RANK_LIMIT))


def test_a_product_of_sizes_reaches_the_limit() -> None:
    half = Extent(SIZE_LIMIT // 2)
    assert reshaping.multiply_sizes(Call({"a": half, "b": 2})) == Extent(SIZE_LIMIT)
    with pytest.raises(RuleBroken, match=f"a size over {SIZE_LIMIT}"):
        reshaping.multiply_sizes(Call({"a": half, "b": 3}))


@pytest.mark.parametrize("sign", [1, -1])
def test_padding_reaches_the_limit_of_numbers(sign: int) -> None:
    value = {"self": floats(plain(2)), "pad": (1, 0)}
    limit = int(NUMBER_LIMIT)
    assert indexing.pad(Call({**value, "value": sign * limit})) == floats(plain(3))
    with pytest.raises(RuleBroken, match=f"{limit} is the limit"):
        indexing.pad(Call({**value, "value": sign * (limit + 1)}))


@pytest.mark.parametrize(
    ("start", "end", "step", "counted"),
    [(3, 3, 1, 0), (3, 3, -1, 0), (0, 3, 2, 2), (3, 0, -1, 3), (0, 1, 5, 1)],
)
def test_counting_towards_its_end_makes_as_many(start: int, end: int, step: int, counted: int) -> None:
    call = Call({"start": start, "end": end, "step": step, "dtype": None})
    assert creation.arange(call).shape == plain(counted)


@pytest.mark.parametrize("count", [1, 3])
def test_batches_of_matrices_have_as_many(count: int) -> None:
    batches = {"self": floats(plain(2, 4, 5)), "batch1": floats(plain(2, 4, 6))}
    numbers = {"beta": 1, "alpha": 1}
    right = Call({**batches, "batch2": floats(plain(2, 6, 5)), **numbers})
    assert products.add_batched_product(right) == floats(plain(2, 4, 5))
    with pytest.raises(RuleBroken, match=f"multiplies 2 matrices by {count}"):
        products.add_batched_product(Call({**batches, "batch2": floats(plain(count, 6, 5)), **numbers}))


def test_bounds_of_stored_integers() -> None:
    bounds = {dtype.name: dtype.integer_bounds for dtype in DTYPES.values() if dtype.kind is Kind.INTEGER}
    assert bounds["uint8"] == (0, 255)
    assert bounds["int8"] == (-128, 127)
    assert bounds["int64"] == (-(1 << 63), (1 << 63) - 1)
