"""Counts every substring of the text in a table."""

import sys
from collections import Counter


def main() -> None:
    text, _, *times = sys.stdin.read().split()
    ends = range(1, len(text) + 1)
    counts = Counter(text[start:end] for end in ends for start in range(end))
    for k in times:
        print(sum(count >= int(k) for count in counts.values()))


main()
