"""`scorer-client score`: finds the environment's own command, and scores by it.

Each module in `scorers/` is named after an environment and has one `COMMAND`. A new environment is a new
module.
"""

import argparse
import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic

from scorer_client._cli import scorers, scoring
from scorer_client._cli.exit_status import ExitStatus, UsageError
from scorer_client._cli.scoring import Call, Report, ResultT


@dataclass(frozen=True)
class ScoreCommand(Generic[ResultT]):
    """How submissions to one environment are scored from the command line."""

    description: str
    """One sentence."""
    add_arguments: Callable[[argparse.ArgumentParser], None]
    """Adds what a submission to the environment is made of."""
    read: Callable[[argparse.Namespace], Call[ResultT]]
    """Reads the submission; the call that scores it, any number of times. Raises UsageError, OSError."""
    report: Report[ResultT]
    """The result in words."""


def supported_environments() -> tuple[str, ...]:
    """The environments that this version of the client scores, sorted."""
    return tuple(sorted(module.name for module in pkgutil.iter_modules(scorers.__path__)))


def add_command(
    commands: "argparse._SubParsersAction[argparse.ArgumentParser]", parent: argparse.ArgumentParser
) -> None:
    """Adds the command. The environment's own arguments are parsed by `_run`, once it is known which one."""
    parser = commands.add_parser(
        "score",
        help="score a submission",
        description="Scores a submission, and waits for the verdict.",
        epilog=f"Environments: {', '.join(supported_environments())}. "
        "`scorer-client score ENVIRONMENT --help` tells the arguments of one.",
    )
    parser.add_argument("environment", metavar="ENVIRONMENT")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, metavar="...")

    def run(arguments: argparse.Namespace) -> ExitStatus:
        return _run(arguments, parent)

    parser.set_defaults(run=run)


def command_of(name: str) -> ScoreCommand[Any]:
    """The command of an environment. Raises UsageError for one that this version does not score."""
    supported = supported_environments()
    if name not in supported:
        raise UsageError(
            f"this version of the client does not score {name!r}; it scores: {', '.join(supported)}"
        )
    command: ScoreCommand[Any] = importlib.import_module(f"{scorers.__name__}.{name}").COMMAND
    return command


def _run(arguments: argparse.Namespace, parent: argparse.ArgumentParser) -> ExitStatus:
    name = arguments.environment
    command = command_of(name)
    parser = argparse.ArgumentParser(
        prog=f"scorer-client score {name}", parents=[parent], description=command.description
    )
    command.add_arguments(parser)
    scoring.add_options(parser)
    parsed = parser.parse_args(arguments.arguments, arguments)
    return scoring.score(parsed, command.read(parsed), command.report)
