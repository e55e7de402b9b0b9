"""How text is cleaned before it becomes tokens, be it ours or an operator's."""

import re

_REPLACED = str.maketrans(
    {
        "\u2019": "'",
        "\u2018": "'",
        "\u201c": '"',
        "\u201d": '"',
        "\u2014": "--",
        "\u2013": "-",
        "\u2011": "-",
        "\u00a0": " ",
        "\u2022": None,
        "\u0002": None,
    }
)
_LEADERS = re.compile(r"[.]{5,}|_{3,}|-{4,}")


def clean(text: str) -> str:
    """Plain punctuation, single spaces, no leaders of tables: as the training text has it."""
    return " ".join(_LEADERS.sub(" ", text.translate(_REPLACED)).split())
