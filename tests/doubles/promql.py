"""Names that a query of Prometheus refers to. No parser: enough for finding those that do not exist."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

_STRING = re.compile(r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'')
_RANGE = re.compile(r"\[[^\]]*\]")
_GROUPING = re.compile(r"\b(?:by|without|on|ignoring|group_left|group_right)\s*\(([^)]*)\)")
_SELECTOR = re.compile(r"([A-Za-z_:][\w:]*)\s*\{([^}]*)\}")
_MATCHER = re.compile(r"([A-Za-z_]\w*)\s*(?:=~|!~|!=|=)")
_NAME = re.compile(r"(?<![\w.$])([A-Za-z_:][\w:]*)(?!\s*\(|[\w:])")
_WORDS = {"and", "or", "unless", "bool", "offset", "by", "on", "group_left", "group_right", "inf", "nan"}


@dataclass(frozen=True)
class References:
    """What one query refers to."""

    selectors: Sequence[tuple[str, frozenset[str]]]
    """Names of series, each with the labels that it is selected by."""
    grouping: frozenset[str]
    """Labels that results are grouped or matched by."""


def references(query: str) -> References:
    """The names in a query."""
    text = _RANGE.sub("", _STRING.sub('""', re.sub(r"#[^\n]*", "", query)))
    grouping = {
        label.strip() for group in _GROUPING.findall(text) for label in group.split(",") if label.strip()
    }
    text = _GROUPING.sub(" ", text)
    selectors = [(name, frozenset(_MATCHER.findall(inside))) for name, inside in _SELECTOR.findall(text)]
    text = _SELECTOR.sub(" ", text)
    selectors += [(name, frozenset()) for name in _NAME.findall(text) if name.lower() not in _WORDS]
    return References(selectors, frozenset(grouping))
