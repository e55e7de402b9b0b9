"""Changes JSON documents: values of another type, huge numbers, keys twice, depth, parts of elsewhere."""

import copy
import json
import random
from typing import Any

NUMBERS = (
    *(0, 1, -1, 2, 3, 4, 7, 8, 15, 16, 17, 23, 24, 64, 4095, 4096, 4097, 65_536, 65_537, 1 << 24, 1 << 31),
    *(1 << 32, 1 << 40, (1 << 40) + 1, (1 << 62) - 1, 1 << 62, (1 << 63) - 1, -(1 << 63), 1 << 63, 1 << 64),
    *(0.0, -0.0, 0.5, 1e-320, 1e30, 1.7e308),
)  # fmt: skip
TEXTS = (
    "",
    "x",
    "\0",
    "\ud800",
    "NaN",
    "Infinity",
    "😀",
    "a" * 300,
    "a" * 5000,
    "../../etc",
    "\x1b[2J",
    "__class__",
)
ODD_BYTES = (
    b"NaN",
    b"-Infinity",
    b"1e400",
    b"-0",
    b"9" * 25,
    b"9" * 5000,
    b"1." + b"0" * 400 + b"1",
    b"[" * 60 + b"]" * 60,
    b"[" * 2000,
    b"\xff",
    b"\xef\xbb\xbf",
    b'"\\ud800"',
    b"01",
    b"{}",
    b'{"a":1,"a":2}',
)


def changed(document: Any, chance: random.Random) -> Any:
    """A copy with a few parts changed."""
    result = copy.deepcopy(document)
    for _ in range(chance.choice((1, 1, 1, 2, 4))):
        places = list(_places(result))
        if places:
            _change(result, places, chance)
    return result


def written(document: Any, chance: random.Random) -> bytes:
    """As bytes, now and then of no JSON."""
    content = json.dumps(document).encode()
    if chance.random() < 0.85:
        return content
    how = chance.randrange(4)
    place = chance.randrange(len(content) + 1)
    if how == 0:
        return content[:place]
    if how == 1:
        return content[:place] + chance.randbytes(chance.choice((1, 2))) + content[place:]
    # In the place of a number, so that the rest is right.
    digits = [index for index, byte in enumerate(content[:20_000]) if byte in b"0123456789"] or [place]
    at = chance.choice(digits)
    return content[:at] + chance.choice(ODD_BYTES) + content[at + 1 :]


def _places(value: Any) -> Any:
    """Every parent with a key of it."""
    stack = [value]
    while stack:
        parent = stack.pop()
        items = parent.items() if isinstance(parent, dict) else enumerate(parent)
        for key, child in items:
            yield parent, key
            if isinstance(child, (dict, list)):
                stack.append(child)


def _change(document: Any, places: list[Any], chance: random.Random) -> None:
    parent, key = chance.choice(places)
    how = chance.randrange(8)
    if how == 0:
        del parent[key]
    elif how == 1:
        other, other_key = chance.choice(places)
        parent[key] = copy.deepcopy(other[other_key])
    elif how == 2 and isinstance(parent, list):
        parent.insert(key, copy.deepcopy(parent[key]))
    elif how == 3 and isinstance(parent[key], list):
        parent[key] = parent[key] * chance.choice((0, 2, 40, 5000 // (len(parent[key]) + 1)))
    elif how == 4 and isinstance(parent, dict):
        value = parent.pop(key)
        parent[chance.choice((*TEXTS, *map(str, parent)))] = value
    elif how == 5:
        parent[key] = chance.choice((None, True, False, [], {}, [[]], {"as_none": True}, {"as_int": 1 << 62}))
    elif isinstance(parent[key], str) and chance.random() < 0.7:
        known = [where[name] for where, name in chance.choices(places, k=30) if isinstance(where[name], str)]
        parent[key] = chance.choice((*known, *TEXTS))
    else:
        parent[key] = chance.choice(NUMBERS)
