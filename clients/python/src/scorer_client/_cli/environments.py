"""`scorer-client environments`: what the server scores."""

import argparse

from scorer_client._cli.exit_status import ExitStatus
from scorer_client._cli.json_output import json_document
from scorer_client._cli.options import client_of, json_option
from scorer_client._cli.terminal import printable, table
from scorer_client._environments import Environment


def add_command(
    commands: "argparse._SubParsersAction[argparse.ArgumentParser]", parent: argparse.ArgumentParser
) -> None:
    """Adds the command."""
    parser = commands.add_parser("environments", parents=[parent], help="list what the server scores")
    json_option(parser, "one JSON document")
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> ExitStatus:
    with client_of(arguments) as client:
        environments = client.environments()
    if arguments.json:
        print(json_document(environments))
        return ExitStatus.OK
    header = ("environment", "taken now", "device", "profile", "raw score", "better", "0 .. 1", "queue")
    print(table(header, [_row(environment) for environment in environments]))
    for environment in environments:
        if environment.not_serving_reason:
            reason = printable(environment.not_serving_reason)
            print(f"\n{printable(environment.name)} is not served: {reason}")
        elif environment.limits:
            limits = "; ".join(f"{name} {value}" for name, value in environment.limits)
            print(f"\nlimits of {printable(environment.name)}: {printable(limits)}")
    return ExitStatus.OK


def _row(environment: Environment) -> tuple[str, ...]:
    anchors = environment.anchors
    return (
        environment.name,
        "yes" if environment.serving else "no",
        environment.device or "-",
        environment.profile or "-",
        environment.raw_score_unit or "-",
        environment.direction.value,
        f"{anchors.starting_raw:.4g} .. {anchors.reference_raw:.4g}" if anchors else "-",
        str(environment.queue_depth),
    )
