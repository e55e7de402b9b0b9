"""Native sandbox and parallel test runner: what `__init__.pyi` declares, out of the extension."""

from scorer_launcher._native import (
    Checker,
    Isolation,
    Limits,
    Mount,
    RunResult,
    Sandbox,
    SandboxClosed,
    SandboxError,
    Slots,
    TestCase,
    TestOutcome,
    __version__,
    has_decimals,
    probe,
    write_executable,
)
from scorer_launcher._termination import Termination

__all__ = [
    "Checker",
    "Isolation",
    "Limits",
    "Mount",
    "RunResult",
    "Sandbox",
    "SandboxClosed",
    "SandboxError",
    "Slots",
    "Termination",
    "TestCase",
    "TestOutcome",
    "__version__",
    "has_decimals",
    "probe",
    "write_executable",
]
