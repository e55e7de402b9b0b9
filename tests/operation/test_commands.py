"""What commands of an operator write on a terminal."""

import argparse

import pytest
from scorer.v1 import job_pb2, operator_pb2

from scorer_service import operator_commands


def test_a_name_that_a_submission_chose_does_nothing_to_a_terminal(
    capsys: pytest.CaptureFixture[str],
) -> None:
    found = operator_pb2.ListJobsResponse()
    found.jobs.add(
        job=job_pb2.Job(job_id="job-1"), failure_detail="no tensor \x1b]0;title\x07\x1b[2J\rjob-2 succeeded"
    )
    options = argparse.Namespace(json=False)
    assert operator_commands._print(options, lambda _: (found, operator_commands._jobs_text)) == 0
    shown = capsys.readouterr().out
    assert r"no tensor \x1b]0;title\x07\x1b[2J" in shown
    assert shown.replace("\n", "").isprintable()
