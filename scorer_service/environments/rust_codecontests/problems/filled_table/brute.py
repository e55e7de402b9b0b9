"""Looks upwards from every cell until it finds a word."""

import sys


def main() -> None:
    _, *table = [line.split() for line in sys.stdin.read().splitlines()]
    for column in range(len(table[0])):
        words = []
        for row in range(len(table)):
            source = row
            while table[source][column] == ".":
                source -= 1
            words.append(table[source][column])
        print(*words)


main()
