"""Knows the distance between each two villages from the start."""

import sys


def main() -> None:
    tokens = sys.stdin.read().split()
    n = int(tokens[0])
    far = 10**15
    distance = [[0 if u == v else far for v in range(n)] for u in range(n)]
    for i in range(n - 1):
        u, v, length = (int(token) for token in tokens[2 + 3 * i : 5 + 3 * i])
        distance[u - 1][v - 1] = distance[v - 1][u - 1] = length
    for via in range(n):
        for u in range(n):
            for v in range(n):
                distance[u][v] = min(distance[u][v], distance[u][via] + distance[via][v])
    clinics: set[int] = set()
    events = tokens[2 + 3 * (n - 1) :]
    for kind, number in zip(events[0::2], events[1::2], strict=True):
        village = int(number) - 1
        if kind == "C":
            clinics ^= {village}
        else:
            print(min((distance[village][clinic] for clinic in clinics), default=-1))


main()
