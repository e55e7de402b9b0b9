"""Holds the text as the strings left and right of the cursor and slices them anew for each key."""

import sys


def main() -> None:
    _, keys = sys.stdin.read().split()
    left = right = ""
    for key in keys:
        if key == "<":
            left, right = left[:-1], left[-1:] + right
        elif key == ">":
            left, right = left + right[:1], right[1:]
        elif key == "[":
            left, right = "", left + right
        elif key == "]":
            left, right = left + right, ""
        elif key == "-":
            left = left[:-1]
        elif key == "/":
            right = right[1:]
        else:
            left += key
    print(len(left + right), len(left))
    print(left + right or "-")


main()
