"""JSON that was written by somebody else: limits before parsing, and typed access that names what is
wrong."""

import itertools
import json
import math
from typing import Any, NoReturn, TypeVar

from scorer_service.graph.errors import ArchiveError

DEPTH_LIMIT = 48
"""Of nested lists and objects; the graphs of torch 2.15 nest 12 deep, and a subgraph adds as much again."""
VALUE_LIMIT = 3_000_000
"""Of values in one document: what bounds the memory that they take when parsed, to some 300 MB."""
_INTEGER_DIGITS_LIMIT = 20

_Expected = TypeVar("_Expected")


def parse_json(content: bytes, name: str) -> dict[str, Any]:
    """Parse a document whose top is an object.

    Raises ArchiveError for a document that nests deeper than DEPTH_LIMIT, has more than VALUE_LIMIT values,
    repeats a key, has a number that is not finite or not a 64-bit one, or is not JSON in UTF-8.
    """
    if content.count(b",") + content.count(b"[") + content.count(b"{") + content.count(b'"') > VALUE_LIMIT:
        raise ArchiveError(f"{name} has more than {VALUE_LIMIT} values")
    if _depth(content) > DEPTH_LIMIT:
        raise ArchiveError(f"{name} nests deeper than {DEPTH_LIMIT}")
    try:
        document = json.loads(
            content.decode("utf-8"),
            object_pairs_hook=_object_without_repeats,
            parse_constant=_refuse_constant,
            parse_float=_parse_finite,
            parse_int=_parse_integer,
        )
    except ArchiveError as error:
        raise ArchiveError(f"{name}: {error}") from None
    except (ValueError, RecursionError) as error:
        raise ArchiveError(f"{name} is not JSON: {error}") from None
    return expect(document, dict, name)


def expect(value: object, kind: type[_Expected], where: str) -> _Expected:
    """Return `value`, which must be of exactly that type (a bool is no int). Raises ArchiveError."""
    if type(value) is not kind:
        raise ArchiveError(f"{where} is {describe(value)}, not {_TYPE_WORDS.get(kind, kind.__name__)}")
    return value


def member(parent: dict[str, Any], key: str, kind: type[_Expected], where: str) -> _Expected:
    """Return a member of an object, which must be there and of that type. Raises ArchiveError."""
    if key not in parent:
        raise ArchiveError(f"{where} has no {key!r}")
    return expect(parent[key], kind, f"{where}.{key}")


def single_member(value: object, where: str) -> tuple[str, Any]:
    """Return key and value of an object with one member, which is how the exporter writes a union."""
    union = expect(value, dict, where)
    if len(union) != 1:
        raise ArchiveError(f"{where} has {len(union)} members where one is expected")
    return next(iter(union.items()))


def describe(value: object) -> str:
    """A short word for a value that was not expected."""
    if isinstance(value, (dict, list)):
        return _TYPE_WORDS[type(value)]
    return repr(value)[:60]


_TYPE_WORDS: dict[type, str] = {
    dict: "an object",
    list: "a list",
    str: "a text",
    int: "an integer",
    float: "a number",
    bool: "true or false",
}

_STEPS = {ord("["): 1, ord("{"): 1, ord("]"): -1, ord("}"): -1}
_NO_BRACKETS = bytes(byte for byte in range(256) if byte not in _STEPS)


def _depth(content: bytes) -> int:
    """How deep brackets nest, those inside of texts left out."""
    unescaped = content.replace(b"\\\\", b"").replace(b'\\"', b"")
    outside_texts = b"".join(unescaped.split(b'"')[::2])
    brackets = outside_texts.translate(None, delete=_NO_BRACKETS)
    return max(itertools.accumulate(map(_STEPS.__getitem__, brackets)), default=0)


def _object_without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise ArchiveError("an object has the same key twice")
    return result


def _refuse_constant(text: str) -> NoReturn:
    raise ArchiveError(f"{text} is no number of JSON")


def _parse_finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ArchiveError(f"number {text[:40]} is too large")
    return value


def _parse_integer(text: str) -> int:
    if len(text) > _INTEGER_DIGITS_LIMIT or not -(1 << 63) <= int(text) < 1 << 63:
        raise ArchiveError(f"number {text[:40]} does not fit 64 bits")
    return int(text)
