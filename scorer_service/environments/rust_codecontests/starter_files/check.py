#!/usr/bin/env python3
"""Judge programs on the public tests, as the server does: python3 check.py [ID...].

Needs rustc in PATH. The server's own limits and its sandbox decide in the end.
"""

import concurrent.futures
import decimal
import json
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
NUMBER = re.compile(rb"[+-]?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
INTEGER = re.compile(rb"[+-]?(?:0|[1-9][0-9]*)")


NO_RUSTC = "rustc is not in PATH, or does not run; install Rust (or set RUSTUP_HOME) to test locally"


def tokens_match(expected: bytes, output: bytes, checker: dict[str, Any]) -> bool:
    """Whether two tokens are the same to a checker."""
    if expected.lower() == output.lower():
        return True
    if not NUMBER.fullmatch(expected) or not NUMBER.fullmatch(output):
        return False
    floats = checker["kind"] == "floats"
    if not floats and INTEGER.fullmatch(expected) and INTEGER.fullmatch(output):
        return decimal.Decimal(expected.decode()) == decimal.Decimal(output.decode())
    if not floats and not checker.get("decimals"):
        return decimal.Decimal(expected.decode()) == decimal.Decimal(output.decode())
    wanted, got = float(expected), float(output)
    absolute, relative = (checker["absolute"], checker["relative"]) if floats else (1e-5, 1e-5)
    return abs(wanted - got) <= max(absolute, relative * abs(wanted)) < float("inf")


def lines_match(expected: list[bytes], output: list[bytes], checker: dict[str, Any]) -> bool:
    """Whether two lists of tokens are the same to a checker."""
    same_count = len(expected) == len(output)
    return same_count and all(tokens_match(e, o, checker) for e, o in zip(expected, output, strict=True))


def accepts(checker: dict[str, Any], expected: bytes, output: bytes) -> bool:
    """Whether an output is right."""
    if checker["kind"] == "exact":
        return expected.rstrip() == output.rstrip()
    if checker["kind"] == "unordered_lines":
        wanted = [line.split() for line in expected.split(b"\n") if line.strip()]
        got = [line.split() for line in output.split(b"\n") if line.strip()]
        for line in wanted:
            match = next((g for g in got if lines_match(line, g, checker)), None)
            if match is None:
                return False
            got.remove(match)
        return not got
    return lines_match(expected.split(), output.split(), checker)


def compile_rust(source: Path, program: Path, flags: list[str]) -> str:
    """Compile; return the compiler's messages where it fails."""
    command = ["rustc", *flags, "-o", str(program), str(source)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        sys.exit(NO_RUSTC)
    return "" if done.returncode == 0 else done.stderr.strip() or "rustc failed"


def run_test(program: Path, stdin: bytes, problem: dict[str, Any], folder: Path) -> tuple[str, bytes]:
    """Run once; return how it ended ("" where it ended well) and its output."""
    cpu_limit_s, wall_limit_s = problem["time_limit_s"], problem["wall_limit_s"]
    if problem["input_file"]:
        (folder / problem["input_file"]).write_bytes(stdin)
        stdin = b""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (int(cpu_limit_s) + 1, int(cpu_limit_s) + 2))
        resource.setrlimit(resource.RLIMIT_STACK, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))

    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as source:
        source.write(stdin)
        source.seek(0)
        child = subprocess.Popen(
            [str(program)],
            stdin=source,
            stdout=output,
            stderr=subprocess.DEVNULL,
            cwd=folder,
            preexec_fn=limit,
        )
        timer = concurrent.futures.ThreadPoolExecutor(1)
        waiting = timer.submit(os.wait4, child.pid, 0)
        try:
            _, status, usage = waiting.result(wall_limit_s)
        except concurrent.futures.TimeoutError:
            child.kill()
            waiting.result()
            return "wall time limit", b""
        finally:
            child.returncode = 0  # already waited for
            timer.shutdown()
        output.seek(0)
        printed = output.read()
    if problem["output_file"]:
        written = folder / problem["output_file"]
        printed = written.read_bytes() if written.is_file() else b""
    if usage.ru_utime + usage.ru_stime > cpu_limit_s:
        return "CPU time limit", printed
    if usage.ru_maxrss * 1024 > problem["memory_limit_bytes"]:
        return "memory limit", printed
    if os.WIFSIGNALED(status):
        return f"ended by {signal.Signals(os.WTERMSIG(status)).name}", printed
    code = os.WEXITSTATUS(status)
    return (f"exit code {code}" if code else ""), printed


def judge(problem: dict[str, Any], flags: list[str]) -> str:
    """Judge one program on the public tests; return the verdict in words."""
    source, data = HERE / "solutions" / f"{problem['id']}.rs", HERE / "problems" / problem["id"]
    if not source.is_file():
        return "no program"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        messages = compile_rust(source, folder / "program", flags)
        if messages:
            return f"compile error\n{messages}"
        checker, validator = problem["checker"], folder / "validator"
        if checker["kind"] == "special":
            messages = compile_rust(data / "validator.rs", validator, ["--edition", "2021", "-O"])
            if messages:
                return f"the validator does not compile here\n{messages}"
        for number in range(1, problem["public_tests"] + 1):
            stdin_file, expected_file = data / f"{number}.in", data / f"{number}.out"
            place = folder / str(number)
            place.mkdir()
            ending, output = run_test(folder / "program", stdin_file.read_bytes(), problem, place)
            if ending:
                return f"test {number}: {ending}"
            if checker["kind"] == "special":
                command = [str(validator), str(stdin_file), str(expected_file)]
                right = (
                    subprocess.run(command, input=output, capture_output=True, check=False).returncode == 42
                )
            else:
                right = accepts(checker, expected_file.read_bytes(), output)
            if not right:
                return f"test {number}: wrong answer\n{comparison(stdin_file, expected_file, output)}"
    return f"passes {problem['public_tests']} public tests"


def comparison(stdin_file: Path, expected_file: Path, output: bytes) -> str:
    """Input, expected output and output of a test, each cut."""
    parts = (("input", stdin_file.read_bytes()), ("expected", expected_file.read_bytes()), ("output", output))
    return "\n".join(f"  {name}:\n{text[:400].decode(errors='replace').rstrip()}" for name, text in parts)


def main() -> None:
    """Judge the named programs, or all; the exit status is 0 where every one passes."""
    try:
        subprocess.run(["rustc", "--version"], capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        sys.exit(NO_RUSTC)
    listing = json.loads((HERE / "problems.json").read_text())
    known = {problem["id"]: problem for problem in listing["problems"]}
    passed = count = 0
    for problem_id in sys.argv[1:] or known:
        if problem_id not in known:
            sys.exit(f"there is no problem {problem_id!r}; problems.json lists them")
        verdict = judge(known[problem_id], listing["rustc_flags"])
        print(f"{problem_id}: {verdict}", flush=True)
        count += 1
        passed += verdict.startswith("passes")
    print(f"{passed} of {count} programs pass their public tests")
    sys.exit(0 if passed == count else 1)


if __name__ == "__main__":
    main()
