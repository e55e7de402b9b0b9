"""The command line `scorer`."""

import argparse
import asyncio
import json
import sys
from collections.abc import Sequence
from pathlib import Path

import scorer_launcher

import scorer_service
from scorer_service import (
    configuration,
    core_dumps,
    data_commands,
    doctor,
    open_files,
    operator_commands,
    serve,
    state_dir,
    token_commands,
)
from scorer_service.api.server import ListenError
from scorer_service.calibration import run as calibration
from scorer_service.environments.interface import CalibrationRefused, JudgingFailed, NotServing
from scorer_service.environments.rust_codecontests import build, problem_set, profiles
from scorer_service.logs import setup as logs
from scorer_service.metrics.endpoint import MetricsListenError
from scorer_service.sandbox.docker_engine import Engine
from scorer_service.sandbox.isolation import TooLittleIsolation
from scorer_service.sandbox.native import NativeBackend
from scorer_service.sandbox.toolchain import ToolchainError
from scorer_service.store.database import SchemaTooNew

EXIT_FAILURE = 1
EXIT_USAGE = 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; answers with the exit status."""
    options = _parser().parse_args(arguments)
    core_dumps.turn_off()
    open_files.raise_limit()
    try:
        status: int = options.run(options)
    except configuration.ConfigurationError as error:
        print(f"scorer: {error}", file=sys.stderr)
        return EXIT_USAGE
    except (
        build.BuildFailed,
        CalibrationRefused,
        JudgingFailed,
        ListenError,
        MetricsListenError,
        NotServing,
        SchemaTooNew,
        scorer_launcher.SandboxError,
        state_dir.StateDirBusy,
        TooLittleIsolation,
        ToolchainError,
    ) as error:
        print(f"scorer: {error}", file=sys.stderr)
        return EXIT_FAILURE
    except (*data_commands.FAILURES, *token_commands.FAILURES, *operator_commands.FAILURES) as error:
        print(f"scorer: {error}", file=sys.stderr)
        return EXIT_FAILURE
    except OSError as error:
        print(f"scorer: {error.filename or ''}: {error.strerror or error}", file=sys.stderr)
        return EXIT_FAILURE
    except KeyboardInterrupt:
        return 130
    return status


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="scorer", description="The scoring service: judges solutions to research tasks over gRPC."
    )
    parser.add_argument("--version", action="version", version=f"scorer {scorer_service.__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    serve_command = commands.add_parser("serve", help="serve until SIGTERM, then drain")
    configuration.add_options(serve_command)
    serve_command.set_defaults(run=_serve)

    doctor_command = commands.add_parser(
        "doctor", help="test sandbox, toolchains, device; say what is missing and how to get it"
    )
    configuration.add_options(doctor_command)
    doctor_command.add_argument("--json", action="store_true", help="print a JSON document")
    doctor_command.set_defaults(run=_doctor)

    calibrate_command = commands.add_parser(
        "calibrate",
        help="measure the starting and the reference solution on this device, and store them as anchors",
    )
    calibrate_command.add_argument("environment", metavar="ENVIRONMENT", help="as in triton_cumsum")
    configuration.add_options(calibrate_command)
    calibrate_command.add_argument("--json", action="store_true", help="print a JSON document")
    calibrate_command.set_defaults(run=_calibrate)

    data_commands.add(commands)
    token_commands.add(commands)
    operator_commands.add(commands)

    problems = commands.add_parser("problems", help="problem sets of rust_codecontests").add_subparsers(
        required=True, metavar="COMMAND"
    )
    check = problems.add_parser("check", help="load a problem set and report what is wrong with it")
    check.add_argument("file", type=Path, metavar="FILE", help="JSON Lines in the schema of CodeContests")
    check.add_argument("--json", action="store_true", help="print a JSON document")
    check.set_defaults(run=_check_problems)
    build = problems.add_parser("build", help="make the embedded problem set from its sources")
    build.add_argument("--output", type=Path, metavar="DIR", help="default: where the service looks for it")
    build.add_argument(
        "--update",
        action="store_true",
        help="rewrite the digests that pin the set, after a change of its sources",
    )
    build.set_defaults(run=_build_problems)

    image = commands.add_parser("sandbox", help="the image of sandboxes in containers").add_subparsers(
        required=True, metavar="COMMAND"
    )
    image_build = image.add_parser(
        "build-image", help="build it ahead; a server with --sandbox docker does where it is missing"
    )
    image_build.add_argument(
        "--base",
        default="scratch",
        metavar="IMAGE",
        help="as in debian:12-slim, for a supervisor that needs a C library (default: %(default)s)",
    )
    image_build.set_defaults(run=_build_image)
    return parser


def _load(options: argparse.Namespace) -> configuration.Configuration:
    return configuration.load(vars(options), options.config)


def _serve(options: argparse.Namespace) -> int:
    settings = _load(options)
    logs.set_up(settings.log_level, settings.log_format)
    serve.run(settings)
    return 0


def _doctor(options: argparse.Namespace) -> int:
    findings = asyncio.run(doctor.examine(_load(options)))
    if options.json:
        print(json.dumps([finding.as_json() for finding in findings], indent=2))
    else:
        print(doctor.table(findings))
    return 0 if all(finding.status is not doctor.Status.MISSING for finding in findings) else EXIT_FAILURE


def _calibrate(options: argparse.Namespace) -> int:
    settings = _load(options)
    logs.set_up(settings.log_level, settings.log_format)
    with state_dir.locked(settings.state_dir):
        table = asyncio.run(calibration.calibrate(options.environment, settings))
    if options.json:
        print(json.dumps({**table.values, "path": str(table.path)}, indent=2))
    else:
        print(calibration.in_words(table))
    return 0


def _check_problems(options: argparse.Namespace) -> int:
    report = problem_set.check_problem_set(options.file)
    print(json.dumps(report.to_json(), indent=2) if options.json else report)
    return 0 if report.ok else EXIT_FAILURE


def _build_problems(options: argparse.Namespace) -> int:
    summary = build.build_embedded_set(
        options.output or profiles.EMBEDDED_SET_DIR, NativeBackend(), update_digests=options.update
    )
    print(summary)
    return 0


def _build_image(options: argparse.Namespace) -> int:
    print(Engine().build_image(options.base))
    return 0


if __name__ == "__main__":
    sys.exit(main())
