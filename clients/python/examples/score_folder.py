"""Scores a folder of `<problem id>.rs`: python score_folder.py FOLDER [HOST:PORT]."""

import sys
from pathlib import Path

from scorer_client import ScorerClient


def main(folder: str, server: str = "127.0.0.1:50051") -> None:
    """Prints the verdict on each program, and the score."""
    programs = {path.stem: path for path in sorted(Path(folder).glob("*.rs"))}
    with ScorerClient(server) as client:
        result = client.score_rust_codecontests(programs)
    for problem in result.problems:
        print(problem.problem_id, problem.verdict.value)
    print(result.summary, result.score)


if __name__ == "__main__":
    main(*sys.argv[1:])
