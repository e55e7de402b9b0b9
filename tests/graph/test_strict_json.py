"""Documents are bounded before they are parsed, and wrong types are named."""

import json

import pytest

from scorer_service.graph import ArchiveError
from scorer_service.graph.strict_json import DEPTH_LIMIT, VALUE_LIMIT, expect, parse_json


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'{"a": NaN}', "NaN"),
        (b'{"a": -Infinity}', "Infinity"),
        (b'{"a": 1e999}', "too large"),
        (b'{"a": ' + b"9" * 5000 + b"}", "64 bits"),
        (b'{"a": 9223372036854775808}', "64 bits"),
        (b'{"a": 1, "a": 2}', "twice"),
        (b"[1, 2]", "not an object"),
        (b'{"a": 1', "not JSON"),
        (b'{"a": "\xff"}', "not JSON"),
        (b"", "not JSON"),
        (b'{"a":' * (DEPTH_LIMIT + 1) + b"1" + b"}" * (DEPTH_LIMIT + 1), "deeper"),
        (b"[" * 1_000_000, "deeper"),
        (b'{"a": [' + b"[]," * VALUE_LIMIT + b"[]]}", "values"),
    ],
)
def test_a_bad_document_is_refused(content: bytes, message: str) -> None:
    with pytest.raises(ArchiveError, match=message):
        parse_json(content, "document")


def test_brackets_inside_of_texts_do_not_count_as_nesting() -> None:
    text = '\\"[' * 1000 + '\\\\"'
    assert parse_json(json.dumps({"a": text}).encode(), "document") == {"a": text}


def test_true_is_no_integer() -> None:
    with pytest.raises(ArchiveError, match="not an integer"):
        expect(True, int, "dim")
