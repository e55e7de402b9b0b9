"""Archives whose zip structure was tampered with are refused, whatever a more forgiving reader would make of
them."""

import os
import struct
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from scorer_service.graph import ArchiveError, ArchiveLimits, open_archive
from tests.graph.archive_editing import MODEL, read_parts, write_parts
from tests.graph.conftest import judge


def opened(path: Path, limits: ArchiveLimits | None = None) -> None:
    with open_archive(path, limits) as archive:
        archive.read_graph_json()


def test_an_archive_of_torch_is_read_as_one_put_together_again(gpt_archive: Path, tmp_path: Path) -> None:
    opened(gpt_archive)
    opened(write_parts(tmp_path / "again.pt2", read_parts(gpt_archive)))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda data: b"", "no archive"),
        (lambda data: data[:-1], "end record"),
        (lambda data: data + b"\0", "end record"),
        (lambda data: data[: len(data) // 2], "end record"),
        (lambda data: b"x" + data, "not where"),
        (lambda data: data[:-22] + struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 9, 9, 9, 9, 0), "contradict"),
        (lambda data: data[:-2] + b"\1\0", "end record"),
    ],
)
def test_a_broken_end_is_refused(
    gpt_archive: Path, tmp_path: Path, change: Callable[[bytes], bytes], message: str
) -> None:
    path = tmp_path / "broken.pt2"
    path.write_bytes(change(gpt_archive.read_bytes()))
    with pytest.raises(ArchiveError, match=message):
        opened(path)


@pytest.mark.parametrize(
    "name",
    [
        "../outside",
        "/etc/passwd",
        "a//b",
        "a/./b",
        "model/extra.bin",
        "model/data/weights/weight_0.py",
        "möbel",
        "a\\b",
    ],
)
def test_an_entry_with_a_name_that_torch_does_not_write_is_refused(
    gpt_archive: Path, tmp_path: Path, name: str
) -> None:
    parts = {f"model/{part}": content for part, content in read_parts(gpt_archive).items()}
    with pytest.raises(ArchiveError):
        opened(write_parts(tmp_path / "named.pt2", {**parts, name: b""}, root=""))


@pytest.mark.parametrize("second", [MODEL, MODEL.upper()])
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_an_entry_that_is_there_twice_is_refused(gpt_archive: Path, tmp_path: Path, second: str) -> None:
    path = write_parts(tmp_path / "twice.pt2", read_parts(gpt_archive))
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr(f"model/{second}", b"{}")
    with pytest.raises(ArchiveError, match="there twice"):
        opened(path)


def test_a_compressed_entry_is_refused(gpt_archive: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "bomb.pt2", "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in read_parts(gpt_archive).items():
            archive.writestr(f"model/{name}", content + bytes(10_000_000) if name == MODEL else content)
    with pytest.raises(ArchiveError, match="compressed"):
        opened(tmp_path / "bomb.pt2")


def test_two_entries_that_share_bytes_are_refused(gpt_archive: Path, tmp_path: Path) -> None:
    path = write_parts(tmp_path / "shared.pt2", read_parts(gpt_archive))
    entries = directory_entries(path)
    data = bytearray(path.read_bytes())
    first, second = (entry for entry in entries if entry.name[-9:] in ("/weight_0", "/weight_1"))
    data[second.header_field : second.header_field + 4] = struct.pack("<L", first.header_offset)
    path.write_bytes(data)
    with pytest.raises(ArchiveError, match=r"another name|overlaps"):
        opened(path)


def test_an_entry_that_lies_inside_of_another_is_refused(gpt_archive: Path, tmp_path: Path) -> None:
    parts = read_parts(gpt_archive)
    name = b"model/data/weights/weight_1"
    inner = struct.pack("<4s5H3L2H", b"PK\3\4", 20, 0, 0, 0, 0, zlib.crc32(b""), 0, 0, len(name), 0) + name
    parts["data/weights/weight_0"] = inner + parts["data/weights/weight_0"]
    parts["data/weights/weight_1"] = b""
    path = write_parts(tmp_path / "inside.pt2", parts)
    entries = {entry.name: entry for entry in directory_entries(path)}
    data = bytearray(path.read_bytes())
    inside = data.index(inner, entries["model/data/weights/weight_0"].header_offset + 1)
    field = entries[name.decode()].header_field
    data[field : field + 4] = struct.pack("<L", inside)
    path.write_bytes(data)
    with pytest.raises(ArchiveError, match="overlaps"):
        opened(path)


@pytest.mark.parametrize(
    ("field", "value"), [("size", 1 << 31), ("size", 0xFFFFFFFF), ("header", 0xFFFFFFF0)]
)
def test_a_size_or_offset_past_the_end_is_refused(
    gpt_archive: Path, tmp_path: Path, field: str, value: int
) -> None:
    path = write_parts(tmp_path / "past.pt2", read_parts(gpt_archive))
    entry = directory_entries(path)[0]
    data = bytearray(path.read_bytes())
    if field == "size":
        data[entry.size_field : entry.size_field + 8] = struct.pack("<2L", value, value)
    else:
        data[entry.header_field : entry.header_field + 4] = struct.pack("<L", value)
    path.write_bytes(data)
    with pytest.raises(ArchiveError):
        opened(path)


def test_changed_bytes_are_found_by_the_checksum(gpt_archive: Path, tmp_path: Path) -> None:
    path = tmp_path / "flipped.pt2"
    data = bytearray(gpt_archive.read_bytes())
    data[data.index(b'"graph_module"') + 2] ^= 1
    path.write_bytes(data)
    with pytest.raises(ArchiveError, match="damaged"):
        opened(path)


def test_limits_hold_before_anything_is_read(gpt_archive: Path, tmp_path: Path) -> None:
    for limits, message in [
        (ArchiveLimits(archive_bytes=1000), "1000 is the limit"),
        (ArchiveLimits(entries=10), "10 is the limit"),
        (ArchiveLimits(graph_json_bytes=100), "100 is the limit"),
        (ArchiveLimits(table_json_bytes=100), "100 is the limit"),
        (ArchiveLimits(tensor_elements=100), "100 is the limit"),
    ]:
        with pytest.raises(ArchiveError, match=message):
            opened(gpt_archive, limits)


def test_only_a_regular_file_is_opened(gpt_archive: Path, tmp_path: Path) -> None:
    (tmp_path / "link.pt2").symlink_to(gpt_archive)
    os.mkfifo(tmp_path / "fifo.pt2")
    for name in ("link.pt2", "fifo.pt2", "", "none"):
        with pytest.raises(ArchiveError):
            opened(tmp_path / name)


def test_the_sample_input_is_never_read(gpt_archive: Path, tmp_path: Path) -> None:
    parts = read_parts(gpt_archive)
    parts["data/sample_inputs/model.pt"] = b"cposix\nsystem\n(S'false'\ntR."
    assert judge(write_parts(tmp_path / "pickle.pt2", parts)).steps


class DirectoryEntry:
    """Where the fields of an entry of a directory lie in the file."""

    def __init__(self, data: bytes, offset: int) -> None:
        name_size = struct.unpack_from("<H", data, offset + 28)[0]
        self.name = data[offset + 46 : offset + 46 + name_size].decode()
        self.size_field, self.header_field = offset + 20, offset + 42
        self.header_offset: int = struct.unpack_from("<L", data, offset + 42)[0]


def directory_entries(path: Path) -> list[DirectoryEntry]:
    data = path.read_bytes()
    found, offset = [], data.find(b"PK\1\2")
    while offset >= 0:
        entry = DirectoryEntry(data, offset)
        if entry.name.startswith("model/"):  # the sample input is an archive of its own
            found.append(entry)
        offset = data.find(b"PK\1\2", offset + 4)
    return found
