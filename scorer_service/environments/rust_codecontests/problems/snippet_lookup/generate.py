"""Inputs of "Snippet Lookup": the shown ones, the hidden ones, small random ones, and their validator."""

import random
import re
from collections.abc import Callable, Iterator

MAX_SNIPPETS = 50_000
MAX_QUESTIONS = 50_000
MAX_CHARACTERS = 1_000_000
MAX_INDEX = 10**18

_ALPHABET = "abcdefghijklmnopqrstuvwxyz"
_DEFINITION = re.compile(r'([a-z]{1,10})="((?:[a-z]|\{[a-z]{1,10}\})*)"')
_QUESTION = re.compile(r"([a-z]{1,10}) ([1-9][0-9]*)")

_Snippets = list[tuple[str, str]]
_Questions = list[tuple[str, int]]


def public() -> list[str]:
    """Return the inputs shown in the statement."""
    first = [("x", "la"), ("fa", "fa"), ("none", ""), ("tune", "{x}{x}{fa}{none}af{x}{none}ala")]
    asked = [("tune", 1), ("tune", 6), ("tune", 7), ("tune", 13), ("tune", 14), ("none", 1)]
    return [
        _text(first, asked),
        _text([("a", "b"), ("b", "{a}a{a}")], [("b", 1), ("b", 2), ("a", 1), ("a", 2)]),
    ]


def hidden(rng: random.Random) -> Iterator[str]:
    """Yield the hidden inputs, edge cases first."""
    yield _text([("a", "")], [("a", 1), ("a", MAX_INDEX)])
    yield _text([("z", "q")], [("z", 1), ("z", 2)])
    yield _text([("a", ""), ("b", "{a}{a}"), ("c", "{b}x{a}"), ("d", "{a}{c}{b}{c}{a}")], _all("abcd", 4))
    yield _text([("a", "xy"), ("b", "{a}"), ("c", "{b}"), ("d", "{c}{c}")], _all("abcd", 5))
    doubled = _doubling(70)
    names = [name for name, _ in doubled]
    yield _text(doubled, [(name, 1 << power) for name in names for power in range(60)])
    yield _text(doubled, [(name, (1 << power) + 1) for name in names for power in range(60)])
    yield _text(doubled, [(names[-1], rng.randint(1, MAX_INDEX)) for _ in range(100)])
    # 2^64 letters: a length that wraps looks like zero.
    yield _text([*doubled, ("tail", f"{{{names[64]}}}c")], [("tail", 1), ("tail", 2), ("tail", MAX_INDEX)])
    yield _text([*doubled, ("head", f"c{{{names[69]}}}{{{names[69]}}}")], [("head", 1), ("head", MAX_INDEX)])
    exact = [("u", "abcde" * 2), *_powers_of_ten("u", 17)]
    yield _text(exact, [(exact[-1][0], MAX_INDEX - 1), (exact[-1][0], MAX_INDEX)])
    for count, pieces, length in ((5, 4, 30), (30, 3, 1000), (300, 5, 10**9), (3000, 8, MAX_INDEX)):
        snippets = _random_snippets(rng, count, pieces, count)
        yield _text(snippets, _random_questions(rng, snippets, 500, length))
    snippets = _random_snippets(rng, 10_000, 4, 40)
    yield _text(snippets, _random_questions(rng, snippets, 4000, MAX_INDEX))
    # Chains as deep as the file is long, asked for at their innermost letters.
    chain = _chain(MAX_SNIPPETS, lambda index, inner: f"a{{{inner}}}b")
    deep = [(_name(MAX_SNIPPETS - 1), MAX_SNIPPETS + rng.randint(-9, 9)) for _ in range(MAX_QUESTIONS // 2)]
    yield _text(chain, deep)
    yield _text(
        chain[:20_000], [(_name(rng.randrange(20_000)), rng.randint(1, 20_000)) for _ in range(10_000)]
    )
    left = _chain(25_000, lambda index, inner: f"{{{inner}}}{_ALPHABET[index % 26]}")
    yield _text(left, [(_name(rng.randint(24_000, 24_999)), rng.randint(1, 1000)) for _ in range(10_000)])
    double = _chain(
        30_000, lambda index, inner: f"{{{inner}}}{{{inner}}}" if index % 600 == 1 else f"{{{inner}}}x"
    )
    yield _text(double, [(_name(29_999), rng.randint(1, MAX_INDEX)) for _ in range(4000)])
    yield _text([("long", "ab" * 300_000)], [("long", rng.randint(1, 10**6)) for _ in range(1000)])


def small(rng: random.Random) -> str:
    """Return a few snippets, some of them empty, with questions near the ends of their texts."""
    snippets = _random_snippets(rng, rng.randint(1, 6), rng.randint(1, 4), 6)
    return _text(snippets, _random_questions(rng, snippets, rng.randint(1, 8), rng.choice((3, 30))))


def validate(text: str) -> None:
    """Raise ValueError that names the constraint `text` breaks."""
    if not text.endswith("\n"):
        raise ValueError("the input must end in a newline")
    first, *lines = text[:-1].split("\n")
    match = re.fullmatch(r"([1-9][0-9]*) ([1-9][0-9]*)", first)
    if not match:
        raise ValueError(f"the first line must hold n and q, got {first[:60]!r}")
    count, asked = int(match[1]), int(match[2])
    if count > MAX_SNIPPETS or asked > MAX_QUESTIONS or len(lines) != count + asked:
        raise ValueError(
            f"n and q are {first!r}, which is too many or does not fit the {len(lines)} lines after it"
        )
    if sum(map(len, lines[:count])) > MAX_CHARACTERS:
        raise ValueError(f"the definitions have more than {MAX_CHARACTERS} characters")
    names: set[str] = set()
    for line in lines[:count]:
        definition = _DEFINITION.fullmatch(line)
        if not definition or definition[1] in names:
            raise ValueError(f"not a definition of a new name: {line[:60]!r}")
        if not names.issuperset(re.findall(r"\{([a-z]+)\}", definition[2])):
            raise ValueError(f"a reference to a name that is not defined before: {line[:60]!r}")
        names.add(definition[1])
    for line in lines[count:]:
        question = _QUESTION.fullmatch(line)
        if not question or question[1] not in names or int(question[2]) > MAX_INDEX:
            raise ValueError(f"not a question about a snippet: {line[:60]!r}")


def _text(snippets: _Snippets, questions: _Questions) -> str:
    lines = [f"{len(snippets)} {len(questions)}"]
    lines += [f'{name}="{body}"' for name, body in snippets]
    lines += [f"{name} {index}" for name, index in questions]
    return "\n".join(lines) + "\n"


def _name(index: int) -> str:
    letters = ""
    while True:
        letters = _ALPHABET[index % 26] + letters
        index = index // 26 - 1
        if index < 0:
            return letters


def _all(names: str, top: int) -> _Questions:
    return [(name, index) for name in names for index in range(1, top + 1)]


def _doubling(count: int) -> _Snippets:
    """Return snippets with 1, 2, 4, 8, ... letters."""
    snippets = [(_name(0), "b")]
    for index in range(1, count):
        snippets.append((_name(index), f"{{{_name(index - 1)}}}{{{_name(index - 1)}}}"))
    return snippets


def _powers_of_ten(base: str, count: int) -> _Snippets:
    snippets: _Snippets = []
    for index in range(count):
        snippets.append(("u" + _name(index), f"{{{base}}}" * 10))
        base = snippets[-1][0]
    return snippets


def _chain(count: int, body: Callable[[int, str], str]) -> _Snippets:
    return [(_name(0), "z"), *((_name(index), body(index, _name(index - 1))) for index in range(1, count))]


def _random_snippets(rng: random.Random, count: int, pieces: int, reach: int) -> _Snippets:
    """Return snippets that refer to one of the last `reach` ones at most; some are empty."""
    snippets: _Snippets = []
    for index in range(count):
        body = ""
        for _ in range(rng.randint(0, pieces)):
            if index and rng.randrange(3):
                body += f"{{{snippets[rng.randint(max(0, index - reach), index - 1)][0]}}}"
            else:
                body += "".join(rng.choice(_ALPHABET) for _ in range(rng.randint(1, 3)))
        snippets.append((_name(index), body))
    return snippets


def _random_questions(rng: random.Random, snippets: _Snippets, count: int, top: int) -> _Questions:
    recent = snippets[-max(5, len(snippets) // 2) :]
    return [(rng.choice(recent)[0], rng.randint(1, rng.choice((9, top)))) for _ in range(count)]
