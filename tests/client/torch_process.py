"""A process with torch that makes checkpoints, converts them, and reads what came out. Importing torch takes
seconds, so there is one for all tests.

Each line that it reads is an object with `argv` (of scorer-client) or `code` (Python, which sets `answer`),
and `cwd`; each line that it writes is the answer.
"""

import contextlib
import io
import json
import os
import sys

import torch
from scorer_client.main import main


def answer_to(request: dict[str, object]) -> object:
    os.chdir(str(request["cwd"]))
    if "code" in request:
        names: dict[str, object] = {"torch": torch, "answer": None}
        exec(str(request["code"]), names)  # noqa: S102 - the code is the test's own
        return names["answer"]
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = main(request["argv"])  # type: ignore[arg-type]
    return [status, out.getvalue(), err.getvalue()]


if __name__ == "__main__":
    answers = sys.stdout
    for line in sys.stdin:
        print(json.dumps(answer_to(json.loads(line))), file=answers, flush=True)
