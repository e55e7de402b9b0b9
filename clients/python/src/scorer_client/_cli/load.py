"""`scorer-client load`: many clients at once, and how fast they were served."""

import argparse
import concurrent.futures
import contextlib
import random
import shlex
import sys
import threading
import time
from collections import Counter
from dataclasses import dataclass, field

from scorer_client._cli import load_report
from scorer_client._cli.exit_status import ExitStatus, UsageError
from scorer_client._cli.json_output import json_document
from scorer_client._cli.options import client_of, json_option, seconds
from scorer_client._cli.score import command_of
from scorer_client._cli.scoring import Call, CallOptions
from scorer_client._cli.terminal import say
from scorer_client._cli.verdict_words import AnyResult
from scorer_client._errors import ScorerError
from scorer_client._retry import Retry
from scorer_client._sync import ScorerClient

CLIENTS_LIMIT = 1000
_EPILOG = """A submission is what `scorer-client score` takes, quoted as one word:

  scorer-client load --clients 16 --seconds 60 \\
    --submit 'rust_codecontests task/solutions' --submit 'triton_cumsum kernel/solution.py'

Each client sends one of them, drawn alike, waits for its verdict, and sends the next. After the time no more
are sent, and those on their way are waited for. Each is a job of its own and judged as any other, so this is
for a server of one's own. A submission that is named twice is drawn twice as often."""


@dataclass
class Outcomes:
    """What came of the submissions, by all clients."""

    latencies_s: dict[str, list[float]] = field(default_factory=dict)
    """By environment: from the call to the verdict, refusals and pauses included."""
    verdicts: Counter[tuple[str, str]] = field(default_factory=Counter)
    """By environment and verdict."""
    failures: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Calls without a verdict, by environment and reason."""
    pauses: Counter[str] = field(default_factory=Counter)
    """Times that a client was told to come again later, or lost its connection; by reason."""
    lock: threading.Lock = field(default_factory=threading.Lock)

    def add_pause(self, retry: Retry) -> None:
        """A try that failed, and is made again."""
        with self.lock:
            self.pauses[_reason(retry.error)] += 1

    def add_verdict(self, environment: str, verdict: str, latency_s: float) -> None:
        """A call that ended with a verdict."""
        with self.lock:
            self.latencies_s.setdefault(environment, []).append(latency_s)
            self.verdicts[environment, verdict] += 1

    def add_failure(self, environment: str, error: ScorerError) -> None:
        """A call that ended without one."""
        with self.lock:
            self.failures[environment, _reason(error)] += 1


@dataclass(frozen=True)
class Submission:
    """One that is sent again and again."""

    environment: str
    call: Call[AnyResult]


def add_command(
    commands: "argparse._SubParsersAction[argparse.ArgumentParser]", parent: argparse.ArgumentParser
) -> None:
    """Adds the command."""
    parser = commands.add_parser(
        "load",
        parents=[parent],
        help="submit from many clients at once, and tell throughput and latency",
        description="Loads a server, and tells how many submissions it judged and how long they took.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--submit",
        action="append",
        required=True,
        metavar="'ENVIRONMENT ...'",
        help="may be given many times",
    )
    parser.add_argument("--clients", type=_clients, default=4, metavar="N", help="at once (default: 4)")
    parser.add_argument(
        "--seconds", type=seconds, default=30.0, metavar="S", help="time to send in (default: 30)"
    )
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of what is drawn (default: 0)")
    json_option(parser, "one JSON document")
    parser.set_defaults(run=_run)


def _clients(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= CLIENTS_LIMIT):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1 to {CLIENTS_LIMIT}")
    return int(text)


def _run(arguments: argparse.Namespace) -> ExitStatus:
    submissions = [_read(text) for text in arguments.submit]
    outcomes, stopped = Outcomes(), threading.Event()
    with contextlib.ExitStack() as stack:
        threads = stack.enter_context(concurrent.futures.ThreadPoolExecutor(arguments.clients))
        # However this ends: clients are closed first, by which calls end that are still on their way.
        clients = [
            stack.enter_context(client_of(arguments, outcomes.add_pause)) for _ in range(arguments.clients)
        ]
        stack.callback(stopped.set)
        began = time.monotonic()
        working = [
            threads.submit(
                _send, client, submissions, random.Random(arguments.seed + number), outcomes, stopped
            )
            for number, client in enumerate(clients)
        ]
        try:
            concurrent.futures.wait(
                working,
                min(arguments.seconds, threading.TIMEOUT_MAX),
                return_when=concurrent.futures.FIRST_EXCEPTION,
            )
        except KeyboardInterrupt:
            say("no more are sent; waiting for those on their way (Ctrl-C again: not waiting; jobs go on)")
        stopped.set()
        for thread in working:
            thread.result()
    summary = load_report.summarise(
        time.monotonic() - began, outcomes.latencies_s, outcomes.verdicts, outcomes.failures, outcomes.pauses
    )
    print(json_document(summary) if arguments.json else load_report.report(summary))
    sys.stdout.flush()
    return ExitStatus.SERVICE_FAILURE if outcomes.failures else ExitStatus.OK


def _read(text: str) -> Submission:
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise UsageError(f"--submit {text!r} cannot be read: {error}") from None
    if not words:
        raise UsageError("--submit is empty: it takes what `scorer-client score` takes, as one word")
    command = command_of(words[0])
    parser = argparse.ArgumentParser(prog=f"scorer-client load --submit '{words[0]} ...'", add_help=False)
    command.add_arguments(parser)
    return Submission(words[0], command.read(parser.parse_args(words[1:])))


def _send(
    client: ScorerClient,
    submissions: list[Submission],
    chance: random.Random,
    outcomes: Outcomes,
    stopped: threading.Event,
) -> None:
    while not stopped.is_set():
        submission = chance.choice(submissions)
        began = time.monotonic()
        try:
            result = submission.call(client, CallOptions())
        except ScorerError as error:
            outcomes.add_failure(submission.environment, error)
            # One that fails at once would be sent without end.
            stopped.wait(1.0)
            continue
        outcomes.add_verdict(submission.environment, result.verdict.value, time.monotonic() - began)


def _reason(error: ScorerError) -> str:
    return error.reason or error.code.name
