"""Judging one program in the real sandbox."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest
import scorer_launcher
from scorer.v1 import rust_codecontests_pb2

from scorer_service.environments.interface import JudgingFailed
from scorer_service.environments.rust_codecontests import problem, program_judge, row, verdicts
from tests.environments.rust_codecontests.conftest import Judging, make_row

READ = """
#![allow(dead_code, unused_imports)]
use std::io::{Read, Write};
fn read() -> String {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).unwrap();
    text
}
fn sum() -> i64 { read().split_whitespace().map(|word| word.parse::<i64>().unwrap()).sum() }
"""
RIGHT = READ + 'fn main() { println!("{}", sum()); }'


def reader(content: problem.ProblemContent) -> Callable[[], problem.ProblemContent]:
    return lambda: content


def judge(judging: Judging, source: str, **changes: Any) -> program_judge.ProgramOutcome:
    judged, content = row.parse(make_row(**changes))
    return judging.run(lambda judge: judge.judge(source.encode(), "embedded", judged, reader(content)))


def public_failure(judging: Judging, source: str, **changes: Any) -> rust_codecontests_pb2.PublicTestFailure:
    judged, content = row.parse(make_row(**changes))
    number = judge(judging, source, **changes).failed_public_test
    assert number
    return judging.run(
        lambda judge: judge.show_public_failure(source.encode(), "embedded", judged, reader(content), number)
    )


def name(outcome: program_judge.ProgramOutcome) -> str:
    return verdicts.short_name(outcome.result.verdict)


PROGRAMS = {
    "accepted": RIGHT,
    "compile_error": "fn main() { x }",
    "wrong_answer": READ + 'fn main() { println!("{}", if sum() == 11 { 12 } else { 0 }); }',
    "cpu_time_limit": READ + "fn main() { let mut i = 0u64; loop { i = std::hint::black_box(i + 1); } }",
    "wall_time_limit": READ + "fn main() { std::thread::sleep(std::time::Duration::from_secs(60)); }",
    "memory_limit": READ
    + "fn main() { let mut v: Vec<Vec<u8>> = Vec::new(); loop { v.push(vec![1; 1 << 20]); } }",
    "output_limit": READ + 'fn main() { loop { println!("0000000000000000"); } }',
    "runtime_error": READ + 'fn main() { println!("{}", sum()); panic!("time limit exceeded"); }',
}


@pytest.mark.parametrize("verdict", list(PROGRAMS))
def test_each_verdict_has_its_cause(judging: Judging, verdict: str) -> None:
    outcome = judge(judging, PROGRAMS[verdict], time_limit=0.5)
    assert name(outcome) == verdict
    assert outcome.solved is (verdict == "accepted")
    assert outcome.built is (verdict != "compile_error")


def test_right_output_and_then_ten_megabytes_of_spaces_pass_the_output_limit(judging: Judging) -> None:
    source = READ + 'fn main() { println!("{}", sum()); print!("{}", " ".repeat(10_000_000)); }'
    assert name(judge(judging, source)) == "output_limit"


def test_an_exit_code_other_than_zero_is_a_runtime_error(judging: Judging) -> None:
    source = READ + 'fn main() { println!("{}", sum()); std::process::exit(1); }'
    outcome = judge(judging, source)
    assert name(outcome) == "runtime_error"
    assert public_failure(judging, source).ending == "exit code 1"


def test_an_endless_recursion_is_a_runtime_error_or_a_memory_limit(judging: Judging) -> None:
    source = READ + (
        "fn deep(n: u64) -> u64 { std::hint::black_box(if n == u64::MAX { 0 } else { deep(n + 1) + n }) }\n"
        'fn main() { println!("{}", deep(std::hint::black_box(0))); }'
    )
    outcome = judge(judging, source)
    assert name(outcome) in ("runtime_error", "memory_limit")


def test_a_public_failure_is_shown_with_all_its_data(judging: Judging) -> None:
    source = READ + 'fn main() { let s = sum(); eprintln!("debug"); println!("{}", s + 1); }'
    public = {"input": ["0 0\n", "1 2\n"], "output": ["1\n", "3\n"]}
    outcome = judge(judging, source, public_tests=public)
    failure = public_failure(judging, source, public_tests=public)
    assert (failure.test_number, failure.input, failure.expected) == (2, b"1 2\n", b"3\n")
    assert (failure.output, failure.stderr, failure.ending) == (b"4\n", b"debug\n", "exit code 0")
    assert outcome.details["failing_test"]["kind"] == "public"


def test_a_public_failure_is_cut_at_4_kib(judging: Judging) -> None:
    source = READ + 'fn main() { let s = read(); print!("{s}{s}"); eprint!("{s}{s}"); }'
    long = "1 " * 4000 + "\n"
    failure = public_failure(judging, source, public_tests={"input": [long], "output": [long]})
    assert {len(part) for part in (failure.input, failure.expected, failure.output, failure.stderr)} == {4096}


def test_of_a_hidden_failure_nothing_but_the_verdict_is_told(judging: Judging) -> None:
    secret = {"input": ["271828 1\n"], "output": ["314159\n"]}
    source = READ + 'fn main() { let s = read(); eprint!("{s}"); println!("{}", s.len() / 4 * 3); }'
    outcome = judge(judging, source, private_tests=secret)
    assert name(outcome) == "wrong_answer"
    told = outcome.result.SerializeToString()
    assert (
        told
        == rust_codecontests_pb2.ProblemResult(
            problem_id="sum", verdict=rust_codecontests_pb2.PROBLEM_VERDICT_WRONG_ANSWER
        ).SerializeToString()
    )
    details = json.dumps(outcome.details)
    assert not [word for word in ("271828", "314159") if word in details]
    assert outcome.details["failing_test"] == {
        "number": 2,
        "kind": "hidden",
        "ending": "exit code 0",
        **{key: outcome.details["failing_test"][key] for key in ("cpu_s", "wall_s", "peak_memory_bytes")},
    }


def test_hidden_tests_are_not_run_when_a_public_one_fails(judging: Judging) -> None:
    outcome = judge(judging, READ + 'fn main() { println!("x"); }')
    assert outcome.details["tests_run"] == 1


def test_the_verdict_is_the_first_cause_in_the_order_of_the_tests(judging: Judging) -> None:
    # Test 2 spins, later ones are wrong at once: in parallel the wrong ones are known long before.
    source = READ + (
        "fn main() { let s = sum(); if s == 4 { let mut i = 0u64; loop { i = std::hint::black_box(i + 1); } }"
        ' println!("{}", if s == 3 { 3 } else { -1 }); }'
    )
    for _ in range(3):
        outcome = judge(judging, source, time_limit=0.3)
        assert name(outcome) == "cpu_time_limit"
        assert outcome.details["failing_test"]["number"] == 2


def test_details_tell_the_evaluator_what_was_measured(judging: Judging) -> None:
    details = judge(judging, RIGHT).details
    assert (details["tests_run"], details["test_count"], details["public_test_count"]) == (4, 4, 1)
    assert details["compile_wall_s"] > 0
    assert 0 < details["largest_wall_s"] < 1
    assert 0 < details["largest_peak_memory_bytes"] < 64 << 20
    assert details["cpu_limit_s"] == 1.0
    assert json.loads(json.dumps(details)) == details


def test_a_problem_that_names_files_reads_and_writes_them(judging: Judging) -> None:
    files = {"input_file": "sum.in", "output_file": "sum.out"}
    through_files = READ + (
        'fn main() { let s = std::fs::read_to_string("sum.in").unwrap();\n'
        "let n: i64 = s.split_whitespace().map(|w| w.parse::<i64>().unwrap()).sum();\n"
        'std::fs::write("sum.out", n.to_string()).unwrap(); println!("log"); }'
    )
    assert name(judge(judging, through_files, **files)) == "accepted"
    assert name(judge(judging, RIGHT, **files)) == "wrong_answer"
    assert name(judge(judging, RIGHT, input_file="sum.in")) == "wrong_answer"
    assert name(judge(judging, through_files, input_file="sum.in", output_file="other.out")) == "wrong_answer"
    link = READ + 'fn main() { std::os::unix::fs::symlink("sum.in", "sum.out").unwrap(); }'
    assert name(judge(judging, link, **files)) == "wrong_answer"


VALIDATOR = """
// Accepts two numbers whose sum is that of the input.
use std::io::Read;
fn numbers(text: &str) -> Option<Vec<i64>> { text.split_whitespace().map(|w| w.parse().ok()).collect() }
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let input = numbers(&std::fs::read_to_string(&args[1]).unwrap()).unwrap();
    let expected = numbers(&std::fs::read_to_string(&args[2]).unwrap()).unwrap();
    assert_eq!(input.iter().sum::<i64>(), expected.iter().sum::<i64>());
    let mut raw = Vec::new();
    std::io::stdin().read_to_end(&mut raw).unwrap();
    let right = String::from_utf8(raw).ok().and_then(|text| numbers(&text))
        .is_some_and(|found| found.len() == 2 && found.iter().sum::<i64>() == input.iter().sum::<i64>());
    std::process::exit(if right { 42 } else { 43 });
}
"""
SPECIAL = {"kind": "special", "source": VALIDATOR}


def test_a_special_checker_decides(judging: Judging) -> None:
    other = READ + 'fn main() { println!("{} 1", sum() - 1); }'
    assert name(judge(judging, other, checker=SPECIAL)) == "accepted"
    assert name(judge(judging, RIGHT, checker=SPECIAL)) == "wrong_answer"
    garbage = READ + "fn main() { std::io::stdout().write_all(&[255, 0, 10]).unwrap(); }"
    assert name(judge(judging, garbage, checker=SPECIAL)) == "wrong_answer"


@pytest.mark.parametrize(
    "source", ["fn main() { std::process::exit(1); }", "fn main() { panic!(); }", "fn main() { x }"]
)
def test_a_special_checker_that_fails_is_a_failure_of_the_service(judging: Judging, source: str) -> None:
    with pytest.raises(JudgingFailed, match="sum"):
        judge(judging, RIGHT, checker={"kind": "special", "source": source})


def test_tests_that_cannot_be_read_are_a_failure_of_the_service(judging: Judging) -> None:
    judged, _ = row.parse(make_row())

    def fail() -> problem.ProblemContent:
        raise OSError(5, "Input/output error")

    with pytest.raises(JudgingFailed, match="Input/output error"):
        judging.run(lambda judge: judge.judge(RIGHT.encode(), "embedded", judged, fail))


def test_a_missing_result_is_a_failure_of_the_service_and_no_pass(
    judging: Judging, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Forgetful:
        def __init__(self, sandbox: Any) -> None:
            self.sandbox = sandbox

        def run_tests(self, *args: Any, **kwargs: Any) -> list[scorer_launcher.TestOutcome]:
            return list(self.sandbox.run_tests(*args, **kwargs))[:-1]

        def close(self) -> None:
            self.sandbox.close()

    real = type(judging.backend).open
    judge(judging, RIGHT)  # compiled, so that only the tests run in the sandbox below
    monkeypatch.setattr(type(judging.backend), "open", lambda *args: Forgetful(real(*args)))
    with pytest.raises(JudgingFailed, match="was not run"):
        judge(judging, RIGHT)


def test_cancelling_kills_the_program_and_is_passed_on(judging: Judging) -> None:
    judged, content = row.parse(make_row(time_limit=200))

    async def work(judge: program_judge.ProgramJudge) -> None:
        running = asyncio.Event()
        loop = asyncio.get_running_loop()

        def read() -> problem.ProblemContent:
            loop.call_soon_threadsafe(running.set)
            return content

        source = PROGRAMS["cpu_time_limit"].encode()
        task = asyncio.create_task(judge.judge(source, "embedded", judged, read))
        await running.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    judging.run(work)
