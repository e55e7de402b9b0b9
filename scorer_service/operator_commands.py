"""The commands `scorer operator ...`: what a running server does, and what its operator does to it."""

import argparse
import datetime
import json
import sys
from collections.abc import Callable
from typing import Any

import grpc
from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message
from scorer.v1 import job_pb2, operator_pb2, operator_pb2_grpc
from scorer_client import ScorerError
from scorer_client.command_line import (
    UsageError,
    connected,
    connection_options,
    json_option,
    printable,
    table,
)

from scorer_service.configuration import ConfigurationError

CALL_LIMIT_S = 60.0
"""Of what ends at once."""
RELEASE_LIMIT_S = 600.0
"""A device may have to be opened, and its self-test waits for those who measure."""

Show = Callable[[Any], str]


class OperatorCallFailed(Exception):
    """A call failed; the message is what the server, or gRPC, says."""


FAILURES: tuple[type[Exception], ...] = (OperatorCallFailed,)
"""What these commands raise when they cannot do their work."""


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add `operator` and its commands."""
    actions = commands.add_parser(
        "operator", help="a running server: status, drain, resume, quarantine and release a device, jobs"
    ).add_subparsers(required=True, metavar="COMMAND")
    _action(actions, "status", _status, "what the server does now")
    drain = _action(
        actions,
        "drain",
        _drain,
        "take no more submissions; answers when those that run have ended or went back",
    )
    drain.add_argument(
        "--grace-s",
        type=float,
        metavar="SECONDS",
        help="time that running submissions have to end (default: the server's drain_grace_s)",
    )
    drain.add_argument("--exit", action="store_true", help="end the server when it is drained")
    _action(actions, "resume", _resume, "undo a drain")
    quarantine = _action(actions, "quarantine", _quarantine, "take a device out of use, also over restarts")
    quarantine.add_argument("device", metavar="DEVICE", help="as `status` shows it: cpu, cuda:0")
    quarantine.add_argument("--reason", required=True, help="why; agents and operators see it")
    release = _action(actions, "release", _release, "test a device, and put it back in use where it passes")
    release.add_argument("device", metavar="DEVICE", help="as `status` shows it: cpu, cuda:0")
    release.add_argument("--reason", default="", help="why, for the server's log")
    jobs = _action(actions, "jobs", _jobs, "list jobs, the last accepted first")
    jobs.add_argument("--environment", default="", metavar="NAME")
    jobs.add_argument("--state", action="append", default=[], choices=sorted(_JOB_STATES), help="repeatable")
    jobs.add_argument("--attempt", default="", metavar="ID")
    jobs.add_argument("--token-id", default="", metavar="ID", help="sent with this access token")
    jobs.add_argument("--set-aside", action="store_true", help="only jobs over which the service died")
    jobs.add_argument("--limit", type=_limit, default=100, metavar="N", help="at most (default: %(default)d)")


def _action(
    actions: "argparse._SubParsersAction[argparse.ArgumentParser]",
    name: str,
    run: Callable[[argparse.Namespace], tuple[Message, Show]],
    help_text: str,
) -> argparse.ArgumentParser:
    parser = actions.add_parser(name, help=help_text, parents=[connection_options()])
    json_option(parser, "the answer as JSON")
    parser.set_defaults(run=lambda options: _print(options, run))
    return parser


def _print(options: argparse.Namespace, run: Callable[[argparse.Namespace], tuple[Message, Show]]) -> int:
    try:
        answer, show = run(options)
    except (UsageError, ScorerError) as error:
        raise ConfigurationError(str(error)) from None
    if options.json:
        document = MessageToDict(
            answer, preserving_proto_field_name=True, always_print_fields_with_no_presence=True
        )
        print(json.dumps(document, indent=2))
    else:
        # A failure may quote a name that a submission chose.
        print(printable(show(answer)))
    return 0


def _limit(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 0 < int(text) <= 1_000_000):
        raise argparse.ArgumentTypeError(f"a whole number from 1 to 1,000,000, not {text!r}")
    return int(text)


def _call(options: argparse.Namespace, method: str, request: Message, limit_s: float | None) -> Any:
    with connected(options) as connection:
        stub: Any = operator_pb2_grpc.OperatorServiceStub(connection.channel)
        try:
            return getattr(stub, method)(request, timeout=limit_s, metadata=connection.metadata)
        except grpc.RpcError as error:
            failed: Any = error
            if failed.code() is grpc.StatusCode.UNAVAILABLE and not failed.trailing_metadata():
                raise OperatorCallFailed(
                    f"no server at {connection.target}: name it by --server HOST:PORT or SCORER_SERVER "
                    f"({failed.details()})"
                ) from None
            raise OperatorCallFailed(
                printable(f"{connection.target}: {failed.code().name}: {failed.details()}")
            ) from None


def _status(options: argparse.Namespace) -> tuple[Message, Show]:
    return _call(options, "GetStatus", operator_pb2.GetStatusRequest(), CALL_LIMIT_S), _status_text


def _drain(options: argparse.Namespace) -> tuple[Message, Show]:
    request = operator_pb2.DrainRequest(exit_when_drained=options.exit)
    if options.grace_s is not None:
        if not 0 <= options.grace_s <= 86_400:
            raise ConfigurationError(f"--grace-s must be from 0 to 86400, not {options.grace_s:g}")
        request.grace.FromNanoseconds(int(options.grace_s * 1e9))
    # As long as it takes; Ctrl-C leaves the server draining.
    return (
        _call(options, "Drain", request, None),
        lambda answer: (
            f"drained: {answer.put_back_count} put back, {answer.queued_count} wait in the queue"
            + ("; the server ends" if options.exit else "; `scorer operator resume` undoes it")
        ),
    )


def _resume(options: argparse.Namespace) -> tuple[Message, Show]:
    return _call(options, "Resume", operator_pb2.ResumeRequest(), CALL_LIMIT_S), lambda _: "takes submissions"


def _quarantine(options: argparse.Namespace) -> tuple[Message, Show]:
    request = operator_pb2.QuarantineDeviceRequest(device=options.device, reason=options.reason)
    return _call(options, "QuarantineDevice", request, CALL_LIMIT_S), lambda found: _device(found.device)


def _release(options: argparse.Namespace) -> tuple[Message, Show]:
    request = operator_pb2.ReleaseDeviceRequest(device=options.device, reason=options.reason)
    return _call(options, "ReleaseDevice", request, RELEASE_LIMIT_S), lambda found: _device(found.device)


def _jobs(options: argparse.Namespace) -> tuple[Message, Show]:
    found = operator_pb2.ListJobsResponse()
    while len(found.jobs) < options.limit:
        request = operator_pb2.ListJobsRequest(
            environment=options.environment,
            states=[_JOB_STATES[state] for state in options.state],
            attempt_id=options.attempt,
            submitted_by=options.token_id,
            set_aside=options.set_aside,
            page_size=min(500, options.limit - len(found.jobs)),
            page_token=found.next_page_token,
        )
        page = _call(options, "ListJobs", request, CALL_LIMIT_S)
        found.jobs.extend(page.jobs)
        found.next_page_token = page.next_page_token
        if not page.next_page_token:
            break
    if found.next_page_token:
        print(f"there are more than {options.limit}: raise --limit, or filter", file=sys.stderr)
    return found, _jobs_text


_JOB_STATES = {
    name.removeprefix("JOB_STATE_").lower(): number
    for name, number in job_pb2.JobState.items()
    if number != job_pb2.JOB_STATE_UNSPECIFIED
}


def _status_text(status: operator_pb2.GetStatusResponse) -> str:
    storage = status.storage
    draining = operator_pb2.DrainState.Name(status.drain_state).removeprefix("DRAIN_STATE_").lower()
    up = datetime.datetime.now(datetime.UTC) - status.started_at.ToDatetime(datetime.UTC)
    parts = [
        f"scorer {status.server_version}, up {datetime.timedelta(seconds=round(up.total_seconds()))}"
        + ("" if status.drain_state == operator_pb2.DRAIN_STATE_NONE else f", {draining}"),
        f"disk: {storage.free_bytes >> 20} MiB free, {storage.reserve_bytes >> 20} MiB of them kept; "
        f"artifacts: {storage.artifact_bytes >> 20} of {storage.artifact_quota_bytes >> 20} MiB",
        "",
        table(
            ("environment", "serving", "running", "queued", "oldest", "why not"),
            [
                (
                    one.name,
                    "yes" if one.serving else "no",
                    str(one.running),
                    str(one.queue_depth),
                    f"{one.oldest_queued.ToTimedelta().total_seconds():.0f} s"
                    if one.HasField("oldest_queued")
                    else "-",
                    one.not_serving_reason or "-",
                )
                for one in status.environments
            ],
        ),
        "",
        table(
            ("lane", "places", "busy", "waiting"),
            [(one.name, str(one.places), str(one.busy), str(one.waiting)) for one in status.lanes],
        ),
    ]
    parts += [line for device in status.devices for line in ("", _device(device))]
    return "\n".join(parts)


def _device(device: operator_pb2.Device) -> str:
    state = operator_pb2.DeviceState.Name(device.state).removeprefix("DEVICE_STATE_").lower()
    text = f"device {device.name}: {state}"
    if device.HasField("since"):
        by = "an operator" if device.quarantined_by_operator else "the server"
        text += f" since {_time(device.since.ToDatetime(datetime.UTC))}, by {by}"
    if device.reason:
        text += f": {device.reason}"
    if device.HasField("self_test_passed_at"):
        text += f" (self-test passed {_time(device.self_test_passed_at.ToDatetime(datetime.UTC))})"
    return text


def _jobs_text(found: operator_pb2.ListJobsResponse) -> str:
    if not found.jobs:
        return "no such jobs"
    return table(
        ("job", "environment", "state", "accepted", "deliveries", "attempt", "failure"),
        [
            (
                one.job.job_id,
                one.job.environment,
                "set aside"
                if one.job.set_aside
                else job_pb2.JobState.Name(one.job.state).removeprefix("JOB_STATE_").lower(),
                _time(one.job.accepted_at.ToDatetime(datetime.UTC)),
                str(one.job.delivery_count),
                one.job.attempt_id or "-",
                one.failure_detail or one.job.failure or "-",
            )
            for one in found.jobs
        ],
    )


def _time(moment: datetime.datetime) -> str:
    return moment.isoformat(sep=" ", timespec="seconds")
