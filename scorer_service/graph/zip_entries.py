"""Finds the entries of a zip archive of the one form that torch writes, and refuses every other form.

Only what `torch.export.save` produces is read: entries stored without compression, none encrypted, one disk,
the directory at the very end, sizes in the 32-bit fields unless they do not fit. Layout and names of the
fields are those of APPNOTE.TXT 6.3.9, sections 4.3.7, 4.3.12 and 4.3.14 to 4.3.16.
"""

import os
import re
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass

from scorer_service.graph.errors import ArchiveError

_END = struct.Struct("<4s4H2LH")
_ZIP64_LOCATOR = struct.Struct("<4sLQL")
_ZIP64_END = struct.Struct("<4sQ2H2L4Q")
_DIRECTORY_ENTRY = struct.Struct("<4s6H3L5H2L")
_LOCAL_HEADER = struct.Struct("<4s5H3L2H")
_ZIP64_EXTRA_ID = 1
_UNSET_16 = 0xFFFF
_UNSET_32 = 0xFFFFFFFF
_DESCRIPTOR_FLAG = 1 << 3
_UTF8_FLAG = 1 << 11
_NAME = re.compile(r"(?:[A-Za-z0-9_.\-]{1,120}/){0,6}[A-Za-z0-9_.\-]{1,120}")


@dataclass(frozen=True)
class Entry:
    """One stored file: `size_bytes` bytes of the archive from `offset` on."""

    name: str
    offset: int
    size_bytes: int
    crc32: int


class ArchiveFile:
    """An open regular file that is read by position only, so that it may change underfoot without harm."""

    def __init__(self, descriptor: int, size_bytes: int) -> None:
        self._descriptor = descriptor
        self.size_bytes = size_bytes

    def read(self, offset: int, size_bytes: int) -> bytes:
        """Read exactly that range. Raises ArchiveError where the file ends before it."""
        if offset < 0 or size_bytes < 0 or offset + size_bytes > self.size_bytes:
            raise ArchiveError(
                f"the archive ends before byte {offset + size_bytes}: it has {self.size_bytes} bytes"
            )
        parts = []
        while size_bytes:
            part = os.pread(self._descriptor, size_bytes, offset)
            if not part:
                raise ArchiveError("the archive became shorter while it was read")
            parts.append(part)
            offset += len(part)
            size_bytes -= len(part)
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def read_entry(self, entry: Entry) -> bytes:
        """Read an entry's bytes. Raises ArchiveError where they are not those of its checksum."""
        content = self.read(entry.offset, entry.size_bytes)
        if zlib.crc32(content) != entry.crc32:
            raise ArchiveError(
                f"entry {entry.name} is damaged: its checksum is wrong; write the archive again"
            )
        return content


def read_entries(file: ArchiveFile, *, entry_limit: int) -> dict[str, Entry]:
    """Read the directory of an archive: its entries by name.

    Raises ArchiveError for more than `entry_limit` entries, and for anything that torch does not write.
    """
    directory_offset, directory_size, count = _find_directory(file)
    if count > entry_limit:
        raise ArchiveError(f"the archive has {count} entries; {entry_limit} is the limit")
    if directory_size < count * _DIRECTORY_ENTRY.size or directory_size > count * 1024:
        raise ArchiveError(f"a directory of {directory_size} bytes cannot list {count} entries")
    entries: dict[str, Entry] = {}
    folded: set[str] = set()
    for entry in _parse_directory(file, directory_offset, directory_size, count):
        if entry.name.lower() in folded:
            raise ArchiveError(f"entry {entry.name} is there twice")
        folded.add(entry.name.lower())
        entries[entry.name] = entry
    _refuse_overlaps(list(entries.values()), directory_offset)
    return entries


def _find_directory(file: ArchiveFile) -> tuple[int, int, int]:
    """Return the directory's offset, its size in bytes, and the number of its entries."""
    if file.size_bytes < _END.size:
        raise ArchiveError(f"{file.size_bytes} bytes are no archive; write it with torch.export.save")
    end_offset = file.size_bytes - _END.size
    signature, disk, start_disk, here, count, size, offset, comment = _END.unpack(
        file.read(end_offset, _END.size)
    )
    if signature != b"PK\5\6" or comment:
        raise ArchiveError(
            "this is not a zip archive as torch.export.save writes it: its end record is missing"
        )
    if disk or start_disk or here != count:
        raise ArchiveError("the archive is in several parts")
    directory_end = end_offset
    locator_offset = end_offset - _ZIP64_LOCATOR.size
    if locator_offset >= 0:
        locator = _ZIP64_LOCATOR.unpack(file.read(locator_offset, _ZIP64_LOCATOR.size))
        if locator[0] == b"PK\6\7":
            count, size, offset, directory_end = _read_zip64_end(file, locator, (count, size, offset))
    if offset + size != directory_end:
        raise ArchiveError("the archive's directory is not where its end record says")
    return offset, size, count


def _read_zip64_end(
    file: ArchiveFile, locator: tuple[bytes, int, int, int], short: tuple[int, int, int]
) -> tuple[int, int, int, int]:
    _, disk, end_offset, disks = locator
    locator_offset = file.size_bytes - _END.size - _ZIP64_LOCATOR.size
    if disk or disks != 1 or end_offset + _ZIP64_END.size != locator_offset:
        raise ArchiveError("the archive's zip64 end record is not where its locator says")
    record = _ZIP64_END.unpack(file.read(end_offset, _ZIP64_END.size))
    signature, record_size, _, _, disk, start_disk, here, count, size, offset = record
    if signature != b"PK\6\6" or record_size != _ZIP64_END.size - 12 or disk or start_disk or here != count:
        raise ArchiveError("the archive's zip64 end record is malformed")
    for long_value, short_value, unset in zip(
        (count, size, offset), short, (_UNSET_16, _UNSET_32, _UNSET_32), strict=True
    ):
        if short_value not in (long_value, unset):
            raise ArchiveError("the archive's two end records contradict each other")
    return count, size, offset, end_offset


def _parse_directory(file: ArchiveFile, offset: int, size: int, count: int) -> Iterator[Entry]:
    directory = file.read(offset, size)
    position = 0
    for _ in range(count):
        if position + _DIRECTORY_ENTRY.size > size:
            raise ArchiveError("the archive's directory is cut short")
        fields = _DIRECTORY_ENTRY.unpack_from(directory, position)
        (signature, _, _, flags, method, _, _, crc32, packed, unpacked) = fields[:10]
        (name_size, extra_size, comment_size, disk, _, _, header_offset) = fields[10:]
        position += _DIRECTORY_ENTRY.size
        raw_name = directory[position : position + name_size]
        extra = directory[position + name_size : position + name_size + extra_size]
        position += name_size + extra_size
        if signature != b"PK\1\2" or comment_size or disk or position > size:
            raise ArchiveError("the archive's directory is malformed")
        name = _check_name(raw_name)
        if flags & ~(_DESCRIPTOR_FLAG | _UTF8_FLAG) or method:
            raise ArchiveError(
                f"entry {name} is compressed or encrypted; torch.export.save stores entries as they are"
            )
        unpacked, packed, header_offset = _resolve_zip64(extra, (unpacked, packed, header_offset), name)
        if packed != unpacked:
            raise ArchiveError(f"entry {name} has two different sizes, {packed} and {unpacked}")
        yield _check_local_header(file, name, raw_name, header_offset, unpacked, crc32)
    if position != size:
        raise ArchiveError("the archive's directory holds more than its entries")


def _check_name(raw_name: bytes) -> str:
    name = raw_name.decode("ascii", "replace")
    if not _NAME.fullmatch(name) or any(part in (".", "..") for part in name.split("/")):
        raise ArchiveError(f"entry name {name[:80]!r} is none that torch writes")
    return name


def _resolve_zip64(extra: bytes, values: tuple[int, int, int], name: str) -> tuple[int, int, int]:
    """Replace the values that are marked as not fitting 32 bits by those of the zip64 extra field."""
    wide = b""
    position = 0
    while position + 4 <= len(extra):
        identifier, length = struct.unpack_from("<2H", extra, position)
        if identifier == _ZIP64_EXTRA_ID:
            wide = extra[position + 4 : position + 4 + length]
        position += 4 + length
    resolved = []
    for value in values:
        if value == _UNSET_32:
            if len(wide) < 8:
                raise ArchiveError(f"entry {name} has a size that does not fit its field, and no zip64 field")
            value, wide = struct.unpack_from("<Q", wide)[0], wide[8:]
        resolved.append(value)
    return resolved[0], resolved[1], resolved[2]


def _check_local_header(
    file: ArchiveFile, name: str, raw_name: bytes, offset: int, size_bytes: int, crc32: int
) -> Entry:
    """Find where an entry's bytes start. The entry's own header must agree with the directory."""
    header = _LOCAL_HEADER.unpack(file.read(offset, _LOCAL_HEADER.size))
    signature, _, flags, method, _, _, local_crc32, packed, unpacked, name_size, extra_size = header
    if signature != b"PK\3\4" or method or flags & ~(_DESCRIPTOR_FLAG | _UTF8_FLAG):
        raise ArchiveError(f"entry {name} has no header of its own, or one that contradicts the directory")
    if file.read(offset + _LOCAL_HEADER.size, name_size) != raw_name:
        raise ArchiveError(f"entry {name} has another name in its own header")
    described_later = bool(flags & _DESCRIPTOR_FLAG)
    for value, expected in ((local_crc32, crc32), (packed, size_bytes), (unpacked, size_bytes)):
        if value not in (expected, _UNSET_32) and not (described_later and value == 0):
            raise ArchiveError(f"entry {name} has another size or checksum in its own header")
    return Entry(name, offset + _LOCAL_HEADER.size + name_size + extra_size, size_bytes, crc32)


def _refuse_overlaps(entries: list[Entry], directory_offset: int) -> None:
    end = 0
    for entry in sorted(entries, key=lambda entry: (entry.offset, entry.size_bytes)):
        if entry.offset < end:
            raise ArchiveError(f"entry {entry.name} overlaps another")
        end = entry.offset + entry.size_bytes
        if end > directory_offset:
            raise ArchiveError(f"entry {entry.name} reaches past the entries' part of the archive")
