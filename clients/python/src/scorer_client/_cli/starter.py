"""`scorer-client starter`: fetches what an agent begins with."""

import argparse
from pathlib import Path

from scorer_client._cli.exit_status import ExitStatus, UsageError
from scorer_client._cli.options import client_of
from scorer_client._cli.terminal import printable


def add_command(
    commands: "argparse._SubParsersAction[argparse.ArgumentParser]", parent: argparse.ArgumentParser
) -> None:
    """Adds the command."""
    parser = commands.add_parser(
        "starter", parents=[parent], help="fetch the instructions, the starting solution and the public data"
    )
    parser.add_argument("environment", help="as `scorer-client environments` lists it")
    parser.add_argument("directory", type=Path, help="a folder that does not exist yet, or is empty")
    parser.add_argument(
        "--force", action="store_true", help="write over files of a folder that is not empty; others stay"
    )
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> ExitStatus:
    with client_of(arguments) as client:
        try:
            paths = client.starter(arguments.environment, arguments.directory, overwrite=arguments.force)
        except FileExistsError as error:
            raise UsageError(f"{error} with --force") from error
    print(f"wrote {len(paths)} files to {printable(str(arguments.directory))}")
    return ExitStatus.OK
