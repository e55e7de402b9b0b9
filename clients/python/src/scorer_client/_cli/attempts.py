"""`scorer-client attempt`: an evaluator's view of an agent's try."""

import argparse
from datetime import timedelta

from scorer_client._attempts import Attempt, Priority, ScoreLogEntry, ScorePolicy
from scorer_client._cli.exit_status import ExitStatus
from scorer_client._cli.json_output import json_document
from scorer_client._cli.options import client_of, evaluator_key_of, json_option
from scorer_client._cli.terminal import printable, say, table
from scorer_client._cli.verdict_words import score_words, verdict_words


def add_command(
    commands: "argparse._SubParsersAction[argparse.ArgumentParser]", parent: argparse.ArgumentParser
) -> None:
    """Adds the command and its four actions."""
    actions = commands.add_parser("attempt", help="begin, show and close attempts").add_subparsers(
        required=True, metavar="ACTION"
    )
    create = actions.add_parser("create", parents=[parent], help="begin an attempt; its key is shown once")
    create.add_argument("environment", help="as `scorer-client environments` lists it")
    create.add_argument("--hidden", action="store_true", help="hide scores from whoever has no key")
    create.add_argument("--label", default="", help="whose attempt it is, at most 200 characters")
    create.add_argument(
        "--priority",
        choices=[priority.value for priority in Priority if priority is not Priority.UNKNOWN],
        default=Priority.NORMAL.value,
        help="its share beside other clients: high is four times a normal one, low a quarter",
    )
    create.add_argument(
        "--budget",
        type=int,
        default=0,
        metavar="N",
        help="scorings that it may have (default: what the server has, which may be no limit)",
    )
    json_option(create, "one JSON document")
    create.set_defaults(run=_create)
    for name, run, help_text in (
        ("show", _show, "show an attempt with its final score"),
        ("log", _log, "show all scores of an attempt"),
        ("close", _close, "close an attempt: no more scores (needs its key)"),
    ):
        action = actions.add_parser(name, parents=[parent], help=help_text)
        action.add_argument("attempt", metavar="ID")
        json_option(action, "one JSON document")
        action.set_defaults(run=run)


def _create(arguments: argparse.Namespace) -> ExitStatus:
    with client_of(arguments) as client:
        created = client.create_attempt(
            arguments.environment,
            hidden=arguments.hidden,
            label=arguments.label,
            priority=Priority(arguments.priority),
            budget=arguments.budget,
        )
    if arguments.json:
        print(json_document(created))
        return ExitStatus.OK
    print(_description(created.attempt, has_key=True))
    print(f"evaluator key: {printable(created.evaluator_key)}")
    if created.agent_token:
        print(f"agent token: {printable(created.agent_token)}")
    say("keep the evaluator key: it is not shown again (set SCORER_EVALUATOR_KEY to use it)")
    if created.agent_token:
        say("give the token to the agent: it is not shown again (set SCORER_TOKEN to use it)")
    return ExitStatus.OK


def _show(arguments: argparse.Namespace) -> ExitStatus:
    with client_of(arguments) as client:
        attempt = client.get_attempt(arguments.attempt)
    print(
        json_document(attempt)
        if arguments.json
        else _description(attempt, has_key=evaluator_key_of(arguments) is not None)
    )
    return ExitStatus.OK


def _close(arguments: argparse.Namespace) -> ExitStatus:
    with client_of(arguments) as client:
        attempt = client.close_attempt(arguments.attempt)
    print(
        json_document(attempt)
        if arguments.json
        else _description(attempt, has_key=evaluator_key_of(arguments) is not None)
    )
    return ExitStatus.OK


def _log(arguments: argparse.Namespace) -> ExitStatus:
    with client_of(arguments) as client:
        entries = list(client.list_scores(arguments.attempt))
    if arguments.json:
        print(json_document(entries))
    elif entries:
        print(
            table(("since start", "verdict", "score", "job", "summary"), [_row(entry) for entry in entries])
        )
    else:
        print("no scores yet")
    return ExitStatus.OK


def _row(entry: ScoreLogEntry) -> tuple[str, ...]:
    return (
        str(timedelta(seconds=round(entry.since_start.total_seconds()))),
        verdict_words(entry.verdict.value),
        score_words(entry.score),
        entry.job_id,
        entry.summary,
    )


def _left(attempt: Attempt) -> str:
    if attempt.scoring_budget is None or attempt.remaining_scorings is None:
        return "no limit"
    return f"{attempt.remaining_scorings} of {attempt.scoring_budget}"


def _description(attempt: Attempt, *, has_key: bool) -> str:
    # The server decides who sees it: a token may be enough.
    hidden = attempt.policy is ScorePolicy.HIDDEN and not has_key and attempt.final_score is None
    lines = [
        ("attempt", attempt.attempt_id),
        ("environment", attempt.environment),
        ("scores are", attempt.policy.value),
        ("created", attempt.created_at.isoformat(sep=" ", timespec="seconds")),
        ("closed", attempt.closed_at.isoformat(sep=" ", timespec="seconds") if attempt.closed_at else "no"),
        ("priority", attempt.priority.value),
        ("scorings", str(attempt.score_count)),
        ("scorings left", _left(attempt)),
        (
            "final score",
            "hidden, or none yet; the evaluator's token or key shows it"
            if hidden
            else score_words(attempt.final_score),
        ),
    ]
    if attempt.label:
        lines.append(("label", attempt.label))
    return "\n".join(f"{name}: {printable(value)}" for name, value in lines)
