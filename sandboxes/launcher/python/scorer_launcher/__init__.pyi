"""Native sandbox and parallel test runner.

Every class here is safe to share between threads; every blocking call releases the GIL. Times are
seconds, sizes are bytes. A failure of the service itself (no namespace, no cgroup where one was asked
for, disk full, a supervisor that died) raises `SandboxError`; everything a program can do to itself is
a `Termination`.
"""

from collections.abc import Mapping, Sequence
from enum import Enum
from types import TracebackType
from typing import ClassVar, Self, final

__all__ = [
    "Checker",
    "Isolation",
    "Limits",
    "Mount",
    "Places",
    "Run",
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
    "serve_warm",
    "write_executable",
]

__version__: str

class SandboxError(Exception):
    """The service failed, not the program. The message says what to do about it."""

class SandboxClosed(SandboxError):
    """The sandbox was closed or cancelled while the call was running."""

@final
class Termination(Enum):
    """How a run ended. Where several limits were passed, the first listed here that applies is named."""

    OUTPUT_LIMIT = "output_limit"
    MEMORY_LIMIT = "memory_limit"
    CPU_TIME_LIMIT = "cpu_time_limit"
    WALL_TIME_LIMIT = "wall_time_limit"
    PROCESS_LIMIT = "process_limit"
    STOPPED = "stopped"
    SIGNALED = "signaled"
    EXITED = "exited"

@final
class Isolation:
    """What this machine can enforce, found by trying it (see `probe`)."""

    namespaces: Sequence[str]
    """Those that could be made, of: user, pid, mount, network, ipc, uts."""
    seccomp: bool
    landlock_abi: int
    """0 where the kernel has none."""
    cgroup: str
    """v2, v1 or none: where memory, processes and CPU time are accounted."""
    memory_accounting: str
    """cgroup-v2, cgroup-v1 or rlimit."""
    process_accounting: str
    """cgroup-v2, cgroup-v1 or rlimit."""
    privileged: bool
    """Whether sandboxes run under user ids of their own (needs root), or under the server's."""
    complaints: Sequence[str]
    """One sentence for each mechanism that is missing: what is lost, and how to get it."""

def probe(*, container: int | None = None) -> Isolation:
    """Try each mechanism once, in a child. Raises SandboxError where no sandbox can be made at all.

    `container`: as in `Sandbox`, to try them there.
    """

def supervisor_executable() -> bytes:
    """The executable that makes sandboxes. In a container it is the first process, with the path of a
    SOCK_SEQPACKET socket as its argument, to which it connects; see `Sandbox`."""

@final
class Limits:
    """Limits of one run. `stack` follows `memory_limit_bytes`."""

    def __new__(
        cls,
        *,
        cpu_limit_s: float,
        wall_limit_s: float,
        memory_limit_bytes: int,
        output_limit_bytes: int = 64 << 20,
        stderr_limit_bytes: int = 64 << 10,
        process_limit: int = 32,
        file_size_limit_bytes: int = 64 << 20,
        scratch_limit_bytes: int = 64 << 20,
        open_files_limit: int = 64,
    ) -> Self: ...

@final
class Mount:
    """A read-only bind of `source` (host path, file or folder) at `target` (absolute path inside).

    With `copy`, a copy in memory of a file: programs of other sandboxes share nothing with it, not even its
    pages, by which they could wake each other, and it does not tell where it was on the host.
    """

    def __new__(cls, source: str, target: str, *, copy: bool = False) -> Self: ...

@final
class RunResult:
    termination: Termination
    exit_code: int | None
    """Set where `termination` is EXITED."""
    signal: int | None
    """Set where `termination` is SIGNALED."""
    stdout: bytes
    """At most `output_limit_bytes`."""
    stderr: bytes
    """The first `stderr_limit_bytes`; what follows is read and dropped."""
    cpu_s: float
    """User and system time of every process of the run."""
    wall_s: float
    """By the clock, without the time in which it was frozen."""
    peak_memory_bytes: int
    files: Mapping[str, bytes]
    """The files asked for by `collect` that exist, are regular, and are within their limit."""
    refused_files: Mapping[str, str]
    """Those of `collect` that exist but were refused, with the reason (symlink, not regular, too large)."""

@final
class TestCase:
    """Input and expected output of one test."""

    __test__: ClassVar[bool]
    """False: pytest shall not take it for a class of tests."""

    def __new__(cls, stdin: bytes, expected: bytes) -> Self: ...

@final
class TestOutcome:
    """One test of `Sandbox.run_tests`."""

    __test__: ClassVar[bool]
    """False: pytest shall not take it for a class of tests."""

    index: int
    result: RunResult
    """Its `stdout` is empty unless `keep_output` was set."""
    accepted: bool
    """Exit code 0, within limits, and the checker accepted the output."""

@final
class Checker:
    """How an output is compared with the expected one. Bytes from end to end."""

    @staticmethod
    def exact() -> Checker:
        """Equal bytes, but for white space at the end of the whole output."""

    @staticmethod
    def tokens(*, decimals: bool) -> Checker:
        """The default checker of CodeContests.

        `decimals`: the problem has decimals among its expected outputs.
        """

    @staticmethod
    def floats(*, absolute: float, relative: float) -> Checker:
        """Tokens, where finite decimals may differ by either tolerance."""

    @staticmethod
    def unordered_lines(*, decimals: bool) -> Checker:
        """The lines (compared by tokens) in any order; empty lines are ignored."""

    @staticmethod
    def special(sandbox: Sandbox, argv: Sequence[str], limits: Limits) -> Checker:
        """An output validator of the ICPC problem package format, run in `sandbox`:

        `argv... INPUT EXPECTED < output`, exit code 42 accepts, 43 rejects, anything else is the
        service's failure. INPUT and EXPECTED are paths of read-only files inside its sandbox.
        """

    def accepts(self, *, stdin: bytes, expected: bytes, output: bytes) -> bool: ...

def has_decimals(expected: bytes) -> bool:
    """Whether a token of an expected output is a decimal (a number with a point or an exponent)."""

@final
class Slots:
    """The places in which programs run at once, in the whole process: one a core is right.

    Places are given in the order of asking, and a clock starts only when a place was got. A place is
    bound to one core, so that threads of one program do not take another's.
    """

    def __new__(cls, count: int) -> Self: ...
    @property
    def count(self) -> int: ...
    @property
    def busy(self) -> int: ...
    @property
    def waiting(self) -> int: ...
    def take(self, count: int = 1) -> Places:
        """Wait for that many places at once, in the order of asking: whoever asks later, for a run too, waits
        behind, also where enough would be free for it.

        Raises ValueError for less than 1 or more than there are.
        """

@final
class Places:
    """Places that were taken together, until they are given back or forgotten."""

    @property
    def cores(self) -> Sequence[int]:
        """The number of the core of each."""

    def give_back(self) -> None:
        """Let others have them. Idempotent. What runs on their cores is not stopped by it."""

    def __enter__(self) -> Self: ...
    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        tb: TracebackType | None,
    ) -> None: ...

@final
class Sandbox:
    """Namespaces of one submission: made once, a fresh process tree and scratch for each run in it.

    A warm sandbox serves many submissions: an interpreter is started in it once and loads what they need, and
    each program is a copy of it as it was then, with namespaces of its own for all that the runs of one
    submission share.
    """

    def __new__(
        cls,
        *,
        mounts: Sequence[Mount],
        slots: Slots,
        environment: Mapping[str, str] | None = None,
        cgroup: str = "auto",
        warm: Sequence[str] | None = None,
        devices: Sequence[str] = (),
        container: int | None = None,
    ) -> Self:
        """`environment` is the whole environment of the programs. `cgroup`: auto, v2, v1 or none.

        `warm`: path in the sandbox and arguments of a Python interpreter that has this package, loads what it
        likes and calls `serve_warm`. It is executed as the first process of the namespaces, under the system
        call list of programs, and may write to a scratch of its own, which no run sees. Then this call
        returns; a `run` or `start` goes on there, with the `argv` that it gets. Raises SandboxError with what
        the interpreter wrote, at most 2 KiB, if it ended instead, or took more than 120 s.

        `devices`: paths below /dev of character devices that programs may open and send any request (ioctl)
        to; who may is decided by the permissions of the node.

        `container` is a connected socket to `supervisor_executable` in a container, which makes everything
        there: sources of mounts are paths of the container, and `cgroup` does not matter, since runs are
        accounted below the container's own. The caller's descriptor stays open. The container ends with the
        sandbox.
        """

    def run(
        self,
        argv: Sequence[str],
        *,
        limits: Limits,
        stdin: bytes | None = None,
        files: Mapping[str, bytes] | None = None,
        collect: Mapping[str, int] | None = None,
    ) -> RunResult:
        """Run once in `/work`, an empty tmpfs of the run's own that holds `files` (relative paths).

        `collect` maps relative paths to size limits. Raises SandboxClosed, SandboxError.
        """

    def start(
        self,
        argv: Sequence[str],
        *,
        limits: Limits,
        places: Places,
        stdin: bytes | None = None,
        files: Mapping[str, bytes] | None = None,
        collect: Mapping[str, int] | None = None,
        channel: int | None = None,
    ) -> Run:
        """Start a run on the cores of `places`; returns once the program runs. It does not hold the places.

        `channel` is an open descriptor, of which the program gets a duplicate as descriptor 3; the caller's
        stays open. Everything else is as in `run`. Raises SandboxClosed, SandboxError, and ValueError for
        places that were given back or a descriptor that is not open.
        """

    def run_tests(
        self,
        argv: Sequence[str],
        tests: Sequence[TestCase],
        *,
        limits: Limits,
        checker: Checker,
        stop_at_first_failure: bool = True,
        keep_output: bool = False,
    ) -> list[TestOutcome]:
        """Run every test in a fresh place, in parallel over the slots; results in order of index.

        With `stop_at_first_failure`, tests that had not begun when one failed are left out.
        """

    def close(self) -> None:
        """Kill everything in it. Calls that are running raise SandboxClosed. Idempotent, from any thread."""

    def __enter__(self) -> Self: ...
    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        tb: TracebackType | None,
    ) -> None: ...

@final
class Run:
    """A run that was started, and goes on beside the caller. Forgotten, it is killed.

    It keeps its sandbox alive. When the sandbox is closed, it is killed and all its calls raise
    SandboxClosed.
    """

    def wait(self) -> RunResult:
        """Wait until every process of it is gone. Any number of times, from any thread. Raises
        SandboxError."""

    def kill(self) -> None:
        """Have every process of it killed, frozen or not; `wait` tells when they are gone.

        The end is then STOPPED, unless it ended or passed a limit before. Idempotent.
        """

    def freeze(self) -> None:
        """Stop every process of it; returns when all stand still, and nothing in the run can undo it.

        Time does not count until `thaw`, and no limit is passed meanwhile. Timers of the program go on, and a
        system call that waits may be interrupted (EINTR). Idempotent. Raises SandboxError when the run has
        ended.
        """

    def thaw(self, places: Places) -> None:
        """Bind every thread of it to the cores of `places`, and let all go on.

        A run that is not frozen goes on there too. Raises SandboxError when the run has ended, ValueError for
        places that were given back.
        """

def serve_warm() -> list[str]:
    """Serve the runs of the warm sandbox whose interpreter this is: called once, when everything is loaded.

    Does not return in the interpreter, which ends with its sandbox. It returns in each program: a copy of the
    interpreter, held to all that a program is held to, with the `argv` of its run. What the interpreter had
    open is closed but for stdin, stdout, stderr, and the channel as descriptor 3. If what follows raises, the
    exit code is 1 as ever.

    The interpreter must have one thread. Raises SandboxError if it has more, or is not that of a warm
    sandbox.
    """

def write_executable(path: str, content: bytes) -> None:
    """Write, fsync and rename an executable so that running it at once never fails with ETXTBSY."""
