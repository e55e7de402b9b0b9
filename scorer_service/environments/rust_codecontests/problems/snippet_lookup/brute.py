"""Writes the text of every snippet out; good for short texts only."""

import re
import sys


def main() -> None:
    lines = sys.stdin.read().split("\n")
    count, asked = map(int, lines[0].split())
    texts: dict[str, str] = {}
    for line in lines[1 : count + 1]:
        name, _, body = line.partition("=")
        texts[name] = re.sub(r"\{(\w+)\}", lambda match: texts[match[1]], body.strip('"'))
    for line in lines[count + 1 : count + asked + 1]:
        name, index = line.split()
        text = texts[name]
        print(text[int(index) - 1] if int(index) <= len(text) else "-")


main()
