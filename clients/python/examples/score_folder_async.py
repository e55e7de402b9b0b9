"""Scores a folder of `<problem id>.rs`, on asyncio: python score_folder_async.py FOLDER [HOST:PORT]."""

import asyncio
import sys
from pathlib import Path

from scorer_client import AsyncScorerClient


async def main(programs: dict[str, Path], server: str = "127.0.0.1:50051") -> None:
    """Prints the verdict on each program, and the score."""
    async with AsyncScorerClient(server) as client:
        result = await client.score_rust_codecontests(programs)
    for problem in result.problems:
        print(problem.problem_id, problem.verdict.value)
    print(result.summary, result.score)


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    asyncio.run(main({path.stem: path for path in sorted(folder.glob("*.rs"))}, *sys.argv[2:]))
