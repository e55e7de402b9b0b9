"""The damage is a secret order of rows, the same for the same seed, and its inverse undoes it exactly."""

import io
import json
import struct
from pathlib import Path

import pytest

from scorer_service.language import permutation, tensor_file
from scorer_service.language.shapes import EMBEDDING

SEED = bytes(range(32))
ROWS = 97
PINNED = [3303, 1685, 5, 622]


def small_file() -> bytes:
    """A safetensors file with a tensor before the embedding and one behind it."""
    sizes = {"a": [3], EMBEDDING: [ROWS, 2], "z": [4]}
    header, start, content = {}, 0, b""
    for name, shape in sizes.items():
        count = shape[0] * (shape[1] if len(shape) > 1 else 1)
        content += struct.pack(f"<{count}H", *range(start, start + count))
        header[name] = {"dtype": "F16", "shape": shape, "data_offsets": [2 * start, 2 * (start + count)]}
        start += count
    encoded = json.dumps(header).encode()
    return len(encoded).to_bytes(8, "little") + encoded + content


def test_damage_moves_rows_of_the_embedding_and_nothing_else() -> None:
    whole = small_file()

    damaged = permutation.damage(whole, SEED)

    order = permutation.permutation(SEED, ROWS)
    start = len(whole) - 2 * (2 * ROWS + 4)
    end = start + 4 * ROWS
    rows = [whole[start + 4 * row : start + 4 * (row + 1)] for row in range(ROWS)]
    assert damaged[:start] == whole[:start]
    assert damaged[end:] == whole[end:]
    assert damaged[start:end] == b"".join(rows[source] for source in order)
    assert damaged != whole


def test_repair_is_exact() -> None:
    assert permutation.repair(permutation.damage(small_file(), SEED), SEED) == small_file()
    assert permutation.damage(permutation.repair(small_file(), SEED), SEED) == small_file()


def test_an_order_holds_every_row_once_and_is_kept_across_versions() -> None:
    order = permutation.permutation(SEED, 4096)

    assert sorted(order) == list(range(4096))
    assert order[:4] == PINNED, "agents hold damaged models made by this order"
    assert permutation.permutation(SEED[::-1], 4096) != order


def test_every_order_is_as_likely() -> None:
    seen: dict[tuple[int, ...], int] = {}
    for number in range(3000):
        order = tuple(permutation.permutation(number.to_bytes(16, "little"), 3))
        seen[order] = seen.get(order, 0) + 1

    assert len(seen) == 6
    assert all(abs(count - 500) < 100 for count in seen.values()), seen


def test_a_short_seed_is_refused() -> None:
    with pytest.raises(ValueError, match="16"):
        permutation.permutation(b"short", 4)


@pytest.mark.parametrize("file", [b"", b"\xff" * 20, (3).to_bytes(8, "little") + b"[}?"])
def test_what_is_no_tensor_file_is_refused(file: bytes) -> None:
    with pytest.raises(tensor_file.TensorFileInvalid):
        permutation.damage(file, SEED)


def test_a_file_without_embedding_is_refused() -> None:
    with pytest.raises(tensor_file.TensorFileInvalid, match="a, token"):
        list(tensor_file.rows_in_order(io.BytesIO(small_file()), "other", range))


def test_a_large_file_is_damaged_in_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """So that a model of 3 GB needs no 3 GB of memory."""
    monkeypatch.setattr(tensor_file, "_ROWS_AT_ONCE", 10)
    monkeypatch.setattr(tensor_file, "_BLOCK_BYTES", 16)
    path = tmp_path / "model.safetensors"
    path.write_bytes(small_file())
    with path.open("rb") as file:
        pieces = list(permutation.damaged(file, SEED))
    assert b"".join(pieces) == permutation.damage(small_file(), SEED)
    assert max(map(len, pieces)) <= 40


@pytest.mark.parametrize("missing_bytes", [1, 9, 300])
def test_a_file_that_was_cut_off_is_not_damaged_further(missing_bytes: int) -> None:
    with pytest.raises(tensor_file.TensorFileInvalid):
        permutation.damage(small_file()[:-missing_bytes], SEED)
