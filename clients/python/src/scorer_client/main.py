"""The command line: parses the arguments, runs the command, turns errors into exit statuses."""

import argparse
import os
import sys
from collections.abc import Sequence

from scorer_client._channel import client_version
from scorer_client._cli import attempts, convert, environments, jobs, load, score, starter
from scorer_client._cli.exit_status import ExitStatus, UsageError, exit_status_of
from scorer_client._cli.options import connection_options
from scorer_client._cli.server_errors import explain
from scorer_client._cli.terminal import say
from scorer_client._errors import ScorerError

_COMMANDS = (
    environments.add_command,
    starter.add_command,
    score.add_command,
    convert.add_command,
    jobs.add_watch_command,
    jobs.add_cancel_command,
    attempts.add_command,
    load.add_command,
)

_EPILOG = """Exit status: 0 scored (or done), 1 no score, 2 something given is wrong, 3 the service failed,
130 ended by Ctrl-C (jobs go on)."""


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command; the exit status. `argv` is without the program's name, and sys.argv by default."""
    parent = connection_options()
    parser = argparse.ArgumentParser(
        prog="scorer-client",
        parents=[parent],
        description="Scores submissions on a scoring service.",
        epilog=_EPILOG,
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {client_version()}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for add_command in _COMMANDS:
        add_command(commands, parent)
    try:
        arguments = parser.parse_args(argv)
        return int(_run(arguments))
    except SystemExit as end:
        # argparse ends the process by itself: 2 for wrong arguments, 0 after --help.
        return end.code if isinstance(end.code, int) else int(ExitStatus.USAGE)
    except KeyboardInterrupt:
        return int(ExitStatus.INTERRUPTED)
    except BrokenPipeError:
        # The reader of the output left, as `head` does. The interpreter flushes once more at its end: to
        # nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return int(ExitStatus.OK)


def _run(arguments: argparse.Namespace) -> ExitStatus:
    try:
        status: ExitStatus = arguments.run(arguments)
        sys.stdout.flush()
    except UsageError as error:
        say(str(error))
        return ExitStatus.USAGE
    except ScorerError as error:
        explain(error, arguments)
        return exit_status_of(error)
    except BrokenPipeError:
        raise
    except OSError as error:
        say(f"{error.filename or 'a file'} cannot be used: {error.strerror or error}")
        return ExitStatus.USAGE
    return status


if __name__ == "__main__":
    sys.exit(main())
