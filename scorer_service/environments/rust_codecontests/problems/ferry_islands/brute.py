"""Keeps the table of which island reaches which, and closes it transitively after each opening."""

import sys


def main() -> None:
    n, m, *ends = map(int, sys.stdin.read().split())
    reaches = [[u == v for v in range(n)] for u in range(n)]
    for i in range(m):
        u, v = ends[2 * i] - 1, ends[2 * i + 1] - 1
        reaches[u][v] = reaches[v][u] = True
        for via in range(n):
            for a in range(n):
                for b in range(n):
                    if reaches[a][via] and reaches[via][b]:
                        reaches[a][b] = True
        print(sum(not reaches[a][b] for a in range(n) for b in range(a)))


main()
