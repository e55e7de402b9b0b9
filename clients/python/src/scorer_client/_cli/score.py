"""`scorer-client score`: finds the environment's own command, and scores by it.

Each module in `scorers/` is named after an environment and has one `COMMAND`. A new environment is a new
module.
"""

import argparse
import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass

from scorer_client._cli import scorers
from scorer_client._cli.exit_status import ExitStatus, UsageError
from scorer_client._cli.scoring import Call
from scorer_client._cli.verdict_words import AnyResult


@dataclass(frozen=True)
class ScoreCommand:
    """How submissions to one environment are scored from the command line."""

    description: str
    """One sentence."""
    add_arguments: Callable[[argparse.ArgumentParser], None]
    """Adds what the environment takes."""
    read: Callable[[argparse.Namespace], Call[AnyResult]]
    """Reads the submission; the call that scores it, any number of times. Raises UsageError, OSError."""
    run: Callable[[argparse.Namespace], ExitStatus]
    """Scores."""


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


def command_of(name: str) -> ScoreCommand:
    """The command of an environment. Raises UsageError for one that this version does not score."""
    supported = supported_environments()
    if name not in supported:
        raise UsageError(
            f"this version of the client does not score {name!r}; it scores: {', '.join(supported)}"
        )
    command: ScoreCommand = importlib.import_module(f"{scorers.__name__}.{name}").COMMAND
    return command


def _run(arguments: argparse.Namespace, parent: argparse.ArgumentParser) -> ExitStatus:
    name = arguments.environment
    command = command_of(name)
    parser = argparse.ArgumentParser(
        prog=f"scorer-client score {name}", parents=[parent], description=command.description
    )
    command.add_arguments(parser)
    return command.run(parser.parse_args(arguments.arguments, arguments))
