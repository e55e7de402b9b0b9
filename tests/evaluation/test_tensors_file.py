"""What is taken for a file of weights, and what is refused before a byte of its data is trusted."""

import json
import os
import struct
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from scorer_service.evaluation import tensors_file
from scorer_service.evaluation.tensors_file import WeightsRefused

TABLE = {"embedding": (4, 2), "bias": (3,)}
GOOD = {
    "embedding": {"dtype": "F32", "shape": [4, 2], "data_offsets": [0, 32]},
    "bias": {"dtype": "F16", "shape": [3], "data_offsets": [32, 38]},
}


def changed(**entries: Any) -> dict[str, Any]:
    """The good header with other entries; None leaves one out."""
    return {name: entry for name, entry in {**GOOD, **entries}.items() if entry is not None}


def of(header: Any, data: bytes = bytes(38)) -> bytes:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


@pytest.fixture
def read(tmp_path: Path) -> Callable[[bytes], Mapping[str, tensors_file.StoredTensor]]:
    def reading(content: bytes) -> Mapping[str, tensors_file.StoredTensor]:
        path = tmp_path / "weights.safetensors"
        path.write_bytes(content)
        descriptor = tensors_file.open_regular(path)
        try:
            return tensors_file.read_header(descriptor, TABLE)
        finally:
            os.close(descriptor)

    return reading


Read = Callable[[bytes], Mapping[str, tensors_file.StoredTensor]]


def refusal(read: Read, content: bytes) -> WeightsRefused:
    with pytest.raises(WeightsRefused) as caught:
        read(content)
    return caught.value


def reasons(read: Read, content: bytes) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for tensor in refusal(read, content).tensors:
        found.setdefault(tensor.name, []).append(tensor.reason)
    return found


def test_a_good_file_is_read_with_every_tensor_where_it_lies(read: Read) -> None:
    content = of({"__metadata__": {"format": "pt"}, **GOOD}, bytes(range(38)))
    found = read(content)
    data = len(content) - 38
    assert {name: (part.dtype, part.shape, part.offset - data) for name, part in found.items()} == {
        "embedding": ("F32", (4, 2), 0),
        "bias": ("F16", (3,), 32),
    }


def test_padding_of_the_header_and_any_alignment_are_fine(read: Read) -> None:
    text = json.dumps(GOOD).encode()
    for pad in range(8):
        assert set(read(of(text + b" " * pad))) == set(TABLE)


def test_the_bytes_are_those_of_the_tensor(tmp_path: Path) -> None:
    path = tmp_path / "w"
    path.write_bytes(of(GOOD, bytes(range(38))))
    descriptor = tensors_file.open_regular(path)
    found = tensors_file.read_header(descriptor, TABLE)
    assert tensors_file.read_tensor(descriptor, found["bias"]) == bytes(range(32, 38))
    os.close(descriptor)


def test_every_tensor_that_does_not_fit_is_named_at_once(read: Read) -> None:
    header = {
        "embedding": {"dtype": "F64", "shape": [2, 4], "data_offsets": [0, 64]},
        "head": {"dtype": "F32", "shape": [1], "data_offsets": [64, 68]},
    }
    assert reasons(read, of(header, bytes(68))) == {
        "embedding": ["shape [2, 4], not [4, 2]", "dtype F64, not one of F32, F16, BF16"],
        "bias": ["missing; it has shape [3]"],
        "head": ["unknown; the model has no such tensor"],
    }


@pytest.mark.parametrize("dtype", ["F64", "I32", "C64", "BOOL", "U8", "I64"])
def test_other_dtypes_are_refused_by_name(read: Read, dtype: str) -> None:
    size = 3 * tensors_file.ELEMENT_BYTES[dtype]
    entry = {"dtype": dtype, "shape": [3], "data_offsets": [32, 32 + size]}
    assert reasons(read, of(changed(bias=entry), bytes(32 + size))) == {
        "bias": [f"dtype {dtype}, not one of F32, F16, BF16"]
    }


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        ({"dtype": "F16", "shape": [3], "data_offsets": [30, 36]}, "overlap with those of embedding"),
        ({"dtype": "F16", "shape": [3], "data_offsets": [0, 6]}, "overlap"),
        ({"dtype": "F16", "shape": [3], "data_offsets": [34, 40]}, "2 bytes before it that belong to no"),
        ({"dtype": "F16", "shape": [3], "data_offsets": [32, 40]}, "has 6 bytes, its data_offsets 8"),
        ({"dtype": "F16", "shape": [3], "data_offsets": [38, 32]}, "not a begin and an end"),
        ({"dtype": "F16", "shape": [3], "data_offsets": [-6, 0]}, "not a begin and an end"),
        ({"dtype": "F16", "shape": [3], "data_offsets": [32.0, 38]}, "not a begin and an end"),
        ({"dtype": "F16", "shape": [3], "data_offsets": [1 << 70, (1 << 70) + 6]}, "not a begin and an end"),
        ({"dtype": "F16", "shape": [True, 3], "data_offsets": [32, 38]}, "no list of at most"),
        ({"dtype": "F16", "shape": [-3], "data_offsets": [32, 38]}, "no list of at most"),
        ({"dtype": "F16", "shape": [1] * 99, "data_offsets": [32, 34]}, "no list of at most"),
        ({"dtype": "F16", "shape": "3", "data_offsets": [32, 38]}, "no list of at most"),
        ({"dtype": "f16", "shape": [3], "data_offsets": [32, 38]}, "dtype f16 is unknown"),
        ({"dtype": ["F16"], "shape": [3], "data_offsets": [32, 38]}, "is unknown"),
        ({"dtype": "F16", "shape": [3]}, "has not exactly the members"),
        ({"dtype": "F16", "shape": [3], "data_offsets": [32, 38], "more": 1}, "has not exactly the members"),
        ([1], "has not exactly the members"),
        (None, "missing"),
    ],
)
def test_an_entry_that_is_wrong_is_refused_by_name(read: Read, entry: Any, reason: str) -> None:
    found = reasons(read, of(changed(bias=entry)))
    assert set(found) == {"bias"} or "overlap" in reason
    assert any(reason in text for texts in found.values() for text in texts), found


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "0 bytes is no safetensors"),
        (b"abc", "3 bytes is no safetensors"),
        (b"PK\x03\x04" + bytes(100), "pickle"),
        (b"\x80\x02}q\x00." + bytes(100), "pickle"),
        (struct.pack("<Q", 1 << 62) + b"{}", "header of 4611686018427387904 bytes"),
        (struct.pack("<Q", (1 << 20) + 1) + b"{}", "the limit is 1048576"),
        (struct.pack("<Q", 500) + b"{}", "cut off"),
        (of(b"[]"), "does not begin with {"),
        (of(b" {}"), "does not begin with {"),
        (of(b"{"), "no JSON"),
        (of(b'{"a": NaN}'), "NaN"),
        (of(b'{"a": "\xff"}'), "no JSON"),
        (of(b'{"a":' * 50_000 + b"1" + b"}" * 50_000), "no JSON"),
        (of(b'{"a":' + b"9" * 100_000 + b"}"), "no JSON"),
        (of(b'{"bias": 1, "bias": 2}'), "bias twice"),
        (of(b'{"bias": {"dtype": "F16", "dtype": "F32"}}'), "dtype twice"),
        (of({**GOOD, "__metadata__": 7}), "__metadata__"),
        (of(GOOD, bytes(37)), "reach to byte"),
        (of(GOOD, bytes(39)), "1 bytes behind its last tensor"),
        (of(GOOD, bytes(2 << 20)), "at most"),
    ],
)
def test_a_file_that_is_none_is_refused(read: Read, content: bytes, reason: str) -> None:
    assert reason in str(refusal(read, content))


def test_a_list_of_refused_tensors_is_bounded_and_printable(read: Read) -> None:
    names = [f"\x1b[31m\ud800{number}" + "x" * 1000 for number in range(800)]
    header = {name: {"dtype": "F32", "shape": [0], "data_offsets": [0, 0]} for name in names}
    refused = refusal(read, of(header, b"")).tensors
    assert sum(len(tensor.name) + len(tensor.reason) for tensor in refused) < 64 << 10
    assert all((tensor.name + tensor.reason).isascii() for tensor in refused)
    assert all((tensor.name + tensor.reason).isprintable() for tensor in refused)
    assert refused[-1].reason == f"and {len(names) + len(TABLE) - len(refused) + 1} more"


def test_many_repeated_names_are_found_at_once(read: Read) -> None:
    text = b"{" + b",".join(b'"%d":0' % number for number in range(90_000)) + b',"0":1}'
    assert "0 twice" in str(refusal(read, of(text)))


def test_only_regular_files_are_opened(tmp_path: Path) -> None:
    target = tmp_path / "weights"
    target.write_bytes(of(GOOD))
    link, fifo = tmp_path / "link", tmp_path / "fifo"
    link.symlink_to(target)
    os.mkfifo(fifo)
    for path, reason in ((link, "symbolic link"), (fifo, "not a regular file"), (tmp_path, "not a regular")):
        with pytest.raises(WeightsRefused, match=reason):
            tensors_file.open_regular(path)


def test_a_file_that_is_swapped_after_it_was_opened_does_not_matter(tmp_path: Path) -> None:
    path = tmp_path / "weights"
    path.write_bytes(of(GOOD, bytes(range(38))))
    descriptor = tensors_file.open_regular(path)
    (tmp_path / "other").write_bytes(b"another file")
    (tmp_path / "other").rename(path)
    found = tensors_file.read_header(descriptor, TABLE)
    assert tensors_file.read_tensor(descriptor, found["bias"]) == bytes(range(32, 38))
    os.close(descriptor)


def test_a_file_that_shrinks_while_it_is_read_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "weights"
    path.write_bytes(of(GOOD))
    descriptor = tensors_file.open_regular(path)
    found = tensors_file.read_header(descriptor, TABLE)
    os.truncate(path, path.stat().st_size - 3)
    with pytest.raises(WeightsRefused, match="shorter"):
        tensors_file.read_tensor(descriptor, found["bias"])
    os.close(descriptor)
