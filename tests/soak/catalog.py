"""What a soak sends: honest controls with the scores that they must have, wrong ones, and attacks."""

import importlib.util
import json
import math
import re
import sys
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scorer_client import ScorerClient
from server_process import write_problem_set

import scorer_service
from scorer_service.environments.rust_codecontests import profiles as rust_profiles
from scorer_service.language import materials
from tests.environments.restricted_mlm import models

SERVICE = Path(scorer_service.__file__).parent
EXPLOITS = Path(__file__).parent.parent / "exploits"
TRITON = SERVICE / "environments" / "triton_cumsum"
RUST_PROBLEMS = SERVICE / "environments" / "rust_codecontests" / "problems"

RUST_CONTROL_PROBLEMS = 3
RUST_ROW_LIMIT_BYTES = 400_000
"""Of a problem of the embedded set that controls solve: those with small tests take a second."""

TIMING_FACTOR = 2.5
"""By which the time of a control may differ from what it took alone. On a CPU that others use, too."""
MASK_NOISE = 0.05
"""By which raw scores of one masked language model differ: its masks are drawn anew each time."""
EXACT = 1e-12

DOES_NOT_COMPILE = 'fn main() { let answer: u32 = "forty-two"; println!("{answer}"); }\n'
PRINTS_NOTHING = "fn main() {}\n"
NARROWER_TYPES = """
import torch

def prefix_sum(x):
    positive = (x > 0).to(torch.int32)
    before = torch.cumsum(positive, 0, dtype=torch.int32) - positive
    return torch.cumsum(x * (before & 1), 0, dtype=torch.int32)
"""
GATE_TOO_EARLY = NARROWER_TYPES.replace(" - positive", "")
SAVES_THE_DAMAGED = """
import shutil

shutil.copyfile("/data/fix_embedding/damaged.safetensors", "repaired.safetensors")
"""

Send = Callable[[ScorerClient, Mapping[str, Any]], Any]
"""Scores it; the options are those that all score methods have."""


@dataclass(frozen=True)
class Entry:
    """One submission, and what may come of it."""

    name: str
    environment: str
    kind: str
    """control, wrong or attack."""
    send: Send
    verdicts: frozenset[str]
    """Those that are right."""
    raw: float | None = None
    """Its raw score, where it is known before; else it is what the control had alone, before the load."""
    tolerance: float = EXACT
    """By which raw scores may differ from that."""
    problems: tuple[frozenset[str], ...] = ()
    """Of rust_codecontests: the verdicts that are right for each program."""

    @property
    def is_control(self) -> bool:
        """Whether its score is known."""
        return self.kind == "control"


@dataclass(frozen=True)
class Places:
    """What an attacker may have guessed: it stands in sources for `@NAME@`."""

    state_dir: Path
    port: int
    problem_set: Path

    def filled(self, source: str) -> str:
        """The source with the places in it."""
        found = {
            "@STATE_SECRET@": self.state_dir / "secret",
            "@SERVICE@": SERVICE,
            "@PORT@": self.port,
            "@PROBLEM_SET@": self.problem_set,
        }
        for name, place in found.items():
            source = source.replace(name, str(place))
        return source


def header(source: str, mark: str) -> Mapping[str, Any]:
    """What the lines after a mark say of an attack."""
    lines = (line.removeprefix(mark) for line in source.splitlines() if line.startswith(mark))
    return tomllib.loads("\n".join(lines))


def write_problems(path: Path) -> Path:
    """The problem set of the soak: some of the embedded set for controls, an echo for each attack."""
    echo = {
        "time_limit": {"seconds": 1, "nanos": 0},
        "memory_limit_bytes": 64 << 20,
        "private_tests": {
            "input": [f"{number}\n" for number in range(100, 112)],
            "output": [f"{number}\n" for number in range(100, 112)],
        },
    }
    write_problem_set(path, {attack.stem: echo for attack in sorted(EXPLOITS.glob("rust_codecontests/*.rs"))})
    with path.open("a") as file:
        for row in _control_rows():
            file.write(row)
    return path


def _control_rows() -> Iterator[str]:
    found = 0
    with (rust_profiles.EMBEDDED_SET_DIR / rust_profiles.PROBLEMS_FILE).open() as rows:
        for row in rows:
            if found < RUST_CONTROL_PROBLEMS and len(row) < RUST_ROW_LIMIT_BYTES:
                found += 1
                yield row


def entries(environment: str, places: Places, damaged: Callable[[], bytes]) -> list[Entry]:
    """All of an environment. `damaged` gives the model that fix_embedding starts from."""
    match environment:
        case "rust_codecontests":
            return [*_rust_controls(places), *_rust_attacks(places)]
        case "triton_cumsum":
            return [*_triton_controls(), *_triton_attacks(places)]
        case "restricted_mlm":
            return [*_mlm_controls(), *_mlm_attacks(places)]
        case "fix_embedding":
            return [*_embedding_controls(damaged()), *_embedding_attacks(places, damaged())]
        case _:
            raise ValueError(f"the soak has no submissions of {environment}")


def _rust_controls(places: Places) -> Iterator[Entry]:
    ids = [json.loads(row)["problem_id"] for row in _control_rows()]
    total = len(places.problem_set.read_text().splitlines())
    with (rust_profiles.EMBEDDED_SET_DIR / rust_profiles.REFERENCE_FILE).open() as rows:
        reference = {row["problem_id"]: row["source"] for row in map(json.loads, rows)}
    wrong = next((RUST_PROBLEMS / ids[1] / "wrong").glob("wrong_answer__*.rs")).read_text()
    accepted, not_built = frozenset({"accepted"}), frozenset({"compile_error"})
    for name, programs, verdicts, solved in (
        ("starting", dict.fromkeys(ids, PRINTS_NOTHING), [frozenset({"wrong_answer"})] * 3, 0),
        ("reference", {one: reference[one] for one in ids}, [accepted] * 3, 3),
        (
            "mixed",
            {ids[0]: reference[ids[0]], ids[1]: wrong, ids[2]: DOES_NOT_COMPILE},
            [accepted, frozenset({"wrong_answer"}), not_built],
            1,
        ),
    ):
        yield Entry(
            name,
            "rust_codecontests",
            "control",
            _rust(programs),
            frozenset({"scored"}),
            raw=solved / total,
            problems=tuple(verdicts),
        )
    build_error = frozenset({"build_error"})
    yield Entry(
        "broken",
        "rust_codecontests",
        "wrong",
        _rust({ids[0]: DOES_NOT_COMPILE}),
        build_error,
        problems=(not_built,),
    )


def _rust(programs: Mapping[str, str]) -> Send:
    return lambda client, options: client.score_rust_codecontests(programs, **options)


def _rust_attacks(places: Places) -> Iterator[Entry]:
    for path in sorted(EXPLOITS.glob("rust_codecontests/*.rs")):
        source = path.read_text()
        allowed = frozenset(header(source, "//=")["allowed"])
        verdicts = set() if allowed == {"compile_error"} else {"scored"}
        if "compile_error" in allowed:
            verdicts.add("build_error")
        yield Entry(
            path.stem,
            "rust_codecontests",
            "attack",
            _rust({path.stem: places.filled(source)}),
            frozenset(verdicts),
            problems=(allowed,),
        )


def _triton_controls() -> Iterator[Entry]:
    scored = frozenset({"scored", "unstable"})  # the second is the word for a machine that is too busy
    tolerance = math.log(TIMING_FACTOR)
    for name, source in (
        ("starting", (TRITON / "starter_files" / "solution.py").read_text()),
        ("narrower types", NARROWER_TYPES),
        ("reference", (TRITON / "reference" / "torch_scan.py").read_text()),
    ):
        yield Entry(name, "triton_cumsum", "control", _triton(source), scored, tolerance=tolerance)
    yield Entry("wrong", "triton_cumsum", "wrong", _triton(GATE_TOO_EARLY), frozenset({"incorrect"}))


def _triton(source: str) -> Send:
    return lambda client, options: client.score_triton_cumsum(source, **options)


def _triton_attacks(places: Places) -> Iterator[Entry]:
    for path, source in _python_attacks("triton_cumsum", places):
        allowed = {*header(source, "#=")["allowed"]}
        if "scored" in allowed or "incorrect" in allowed:
            # It came to its timed calls, or may have: there a machine can be too busy.
            allowed.add("unstable")
        yield Entry(path.stem, "triton_cumsum", "attack", _triton(source), frozenset(allowed))


def _python_attacks(environment: str, places: Places) -> Iterator[tuple[Path, str]]:
    """Those whose places are all known here."""
    for path in sorted(EXPLOITS.glob(f"{environment}/*.py")):
        source = places.filled(path.read_text())
        if not re.search(r"@[A-Z_:a-z]+@", source):
            yield path, source


def _mlm_controls() -> Iterator[Entry]:
    solutions = materials.load("embedded", None).solutions
    assert solutions is not None
    scored = frozenset({"scored"})
    small = (EXPLOITS / "restricted_mlm" / "correct_small.py").read_text()
    for name, model, weights in (
        ("starting", solutions.starting.model.read_text(), solutions.starting.weights.read_bytes()),
        ("small", small, models.weights()),
        ("reference", solutions.reference.model.read_text(), solutions.reference.weights.read_bytes()),
    ):
        yield Entry(
            name, "restricted_mlm", "control", _mlm(model, weights=weights), scored, tolerance=MASK_NOISE
        )
    outside = small.replace("self.embedding(tokens)", "self.embedding(tokens).softmax(-1)")
    refused = frozenset({"rule_broken"})
    yield Entry("softmax", "restricted_mlm", "wrong", _mlm(outside, weights=models.weights()), refused)


def _mlm(model: str, **given: Any) -> Send:
    return lambda client, options: client.score_restricted_mlm(model, **given, **options)


def _mlm_attacks(places: Places) -> Iterator[Entry]:
    small = (EXPLOITS / "restricted_mlm" / "correct_small.py").read_text()
    for path, source in _python_attacks("restricted_mlm", places):
        told = header(source, "#=")
        match told["kind"]:
            case "model":
                send = _mlm(source, weights=models.weights())
            case "script":
                send = _mlm(small, training_script=source)
            case _:
                send = _mlm(source, training_script=source)
        yield Entry(path.stem, "restricted_mlm", "attack", send, frozenset(told["allowed"]))


def _embedding_controls(damaged: bytes) -> Iterator[Entry]:
    scored = frozenset({"scored"})
    original = materials.load("embedded", None).original.path.read_bytes()
    for name, send in (
        ("starting", _embedding(weights=damaged)),
        ("damaged by a script", _embedding(repair_script=SAVES_THE_DAMAGED)),
        ("reference", _embedding(weights=original)),
    ):
        yield Entry(name, "fix_embedding", "control", send, scored)
    yield Entry(
        "saves nothing",
        "fix_embedding",
        "wrong",
        _embedding(repair_script="\n#\n"),
        frozenset({"build_error"}),
    )


def _embedding(**given: Any) -> Send:
    return lambda client, options: client.score_fix_embedding(**given, **options)


def _embedding_attacks(places: Places, damaged: bytes) -> Iterator[Entry]:
    for path, source in _python_attacks("fix_embedding", places):
        told = header(source, "#=")
        if told["kind"] == "weights":
            send = _uploaded(_made_by(path, damaged))
        else:
            send = _embedding(repair_script=source)
        yield Entry(path.stem, "fix_embedding", "attack", send, frozenset(told["allowed"]))


def _uploaded(weights: bytes) -> Send:
    """What was uploaded is not looked at by the client: an attacker's would not do so either."""

    def send(client: ScorerClient, options: Mapping[str, Any]) -> Any:
        return client.score_fix_embedding(weights=client.upload(weights), **options)

    return send


def _made_by(path: Path, damaged: bytes) -> bytes:
    spec = importlib.util.spec_from_file_location(f"soaked_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # a pickle names the class that it was made of
    spec.loader.exec_module(module)
    content: bytes = module.weights(damaged)
    return content
