"""Sets every paragraph with textwrap, then widens gaps one blank at a time, rightmost first."""

import re
import sys
import textwrap


def widen(line: str, width: int) -> str:
    gaps = re.findall(" ", line)
    words = line.split(" ")
    turn = 0
    while gaps and len(words[0]) + sum(map(len, gaps + words[1:])) < width:
        turn -= 1
        if -turn > len(gaps):
            turn = -1
        gaps[turn] += " "
    return words[0] + "".join(gap + word for gap, word in zip(gaps, words[1:], strict=True))


def main() -> None:
    first, _, text = sys.stdin.read().partition("\n")
    wrapper = textwrap.TextWrapper(int(first), break_long_words=False, break_on_hyphens=False)
    columns = []
    for paragraph in re.split(r"\n(?: *\n)+", "\n" + text + "\n"):
        lines = wrapper.wrap(" ".join(paragraph.split()))
        if lines:
            columns.append("\n".join([widen(line, wrapper.width) for line in lines[:-1]] + lines[-1:]))
    print("\n\n".join(columns))


main()
