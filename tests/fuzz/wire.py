"""Random bytes of protobuf messages, written field by field from a descriptor: well-formed ones with values
that nobody expects, and ones that break the format.

A message class could not write most of these: texts that are no UTF-8, fields of another wire type, varints
of ten bytes, groups, lengths that lie.
"""

import random
import struct
from collections.abc import Sequence

from google.protobuf.descriptor import Descriptor, FieldDescriptor

_VARINT, _FIXED64, _LENGTH, _GROUP, _END_GROUP, _FIXED32 = range(6)
_INTEGERS = (0, 1, 2, 3, 7, 100, 127, 128, 500, 501, 1 << 20, (1 << 31) - 1, 1 << 31, (1 << 32) - 1, 1 << 40,
             (1 << 63) - 1, 1 << 63, (1 << 64) - 1, (1 << 64) - 17)  # fmt: skip
_TEXTS = (
    b"",
    b"\0",
    b"../../etc/passwd",
    b"'; DROP TABLE jobs; --",
    b"%s%n{}",
    b"0" * 64,
    b"9" * 18,
    b"9" * 19,
    b"-1",
    "²".encode(),
    "😀".encode() * 40,
    "\u202etxt.exe".encode(),
    b"\x1b[2J",
    b"\r\ngrpc-status: 0",
)
_NO_UTF8 = (b"\xff\xfe", b"\xc0\x80", b"\xed\xa0\x80", b"a\x80", b"\xf5\x80\x80\x80")
_DEPTH_LIMIT = 6
_FLOATS = (0.0, -0.0, 1e308, float("inf"), float("-inf"), float("nan"), 5e-324)


def varint(value: int) -> bytes:
    """As the format writes a number of 64 bits."""
    parts = []
    while value > 0x7F:
        parts.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*parts, value])


def delimited(number: int, content: bytes) -> bytes:
    """A field of bytes."""
    return varint(number << 3 | _LENGTH) + varint(len(content)) + content


class WireWriter:
    """Draws messages. `known` are texts that the server knows, so that messages get past its look-ups."""

    def __init__(self, chance: random.Random, known: Sequence[bytes]) -> None:
        self._chance = chance
        self._known = known

    def message(self, kind: Descriptor, *, odd: bool) -> bytes:
        """A message; with `odd` one that may break the format."""
        content = self._message(kind, 0, odd)
        return self._broken(content) if odd and self._chance.random() < 0.5 else content

    def _message(self, kind: Descriptor, depth: int, odd: bool) -> bytes:
        parts = []
        for field in kind.fields:
            if self._chance.random() < 0.75:
                most = 3 if field.is_repeated else 2 if odd else 1
                parts += [self._field(field, depth, odd) for _ in range(self._chance.randint(1, most))]
        if self._chance.random() < 0.1:
            parts.append(self._unknown_field())
        if odd:
            self._chance.shuffle(parts)
        return b"".join(parts)

    def _field(self, field: FieldDescriptor, depth: int, odd: bool) -> bytes:
        if odd and self._chance.random() < 0.05:
            return self._of_wire_type(field.number, self._chance.randrange(8))
        if field.message_type is not None:
            inner = b"" if depth > _DEPTH_LIMIT else self._message(field.message_type, depth + 1, odd)
            return delimited(field.number, inner)
        if field.type in (FieldDescriptor.TYPE_STRING, FieldDescriptor.TYPE_BYTES):
            text = field.type == FieldDescriptor.TYPE_STRING
            return delimited(field.number, self._text(odd or not text))
        if field.type == FieldDescriptor.TYPE_DOUBLE:
            return varint(field.number << 3 | _FIXED64) + struct.pack("<d", self._chance.choice(_FLOATS))
        if field.type == FieldDescriptor.TYPE_FLOAT:
            return varint(field.number << 3 | _FIXED32) + struct.pack("<f", float("nan"))
        return varint(field.number << 3 | _VARINT) + varint(self._chance.choice(_INTEGERS))

    def _text(self, any_bytes: bool) -> bytes:
        draw = self._chance.random()
        if draw < 0.6 and self._known:
            return self._chance.choice(self._known)
        if draw < 0.63:
            return self._chance.choice((b"x", "é".encode())) * self._chance.choice((300, 9000, 70_000))
        if draw < 0.7 and any_bytes:
            return self._chance.choice(_NO_UTF8)
        if draw < 0.75 and any_bytes:
            return self._chance.randbytes(self._chance.randrange(40))
        return self._chance.choice(_TEXTS)

    def _unknown_field(self) -> bytes:
        return self._of_wire_type(
            self._chance.choice((15, 16, 99, 2047, (1 << 29) - 1)), self._chance.choice((0, 1, 2, 5))
        )

    def _of_wire_type(self, number: int, wire_type: int) -> bytes:
        content: dict[int, bytes] = {
            _VARINT: varint(self._chance.choice(_INTEGERS)),
            _FIXED64: self._chance.randbytes(8),
            _LENGTH: varint(5) + self._chance.randbytes(5),
            _GROUP: self._nested_groups(number),
            _FIXED32: self._chance.randbytes(4),
        }
        return varint(number << 3 | wire_type) + content.get(wire_type, b"")

    def _nested_groups(self, number: int) -> bytes:
        depth = self._chance.choice((0, 1, 90, 101, 5000))
        begin, end = varint(number << 3 | _GROUP), varint(number << 3 | _END_GROUP)
        return begin * depth + end * (depth + 1)

    def _broken(self, content: bytes) -> bytes:
        how = self._chance.randrange(6)
        place = self._chance.randrange(len(content) + 1)
        if how == 0:
            return content[:place]
        if how == 1:
            return content[:place] + self._chance.randbytes(3) + content[place:]
        if how == 2:
            return content[:place] + self._chance.randbytes(1) + content[place + 1 :]
        if how == 3:
            return content + varint(9 << 3 | _LENGTH) + varint(self._chance.choice(_INTEGERS))
        if how == 4:
            return content + b"\xff" * self._chance.choice((9, 10, 11, 400))
        return self._chance.randbytes(self._chance.randrange(200))
