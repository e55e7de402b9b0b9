"""What the demo scores: for each environment from nothing to the reference, and ways to fail."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
ENVIRONMENTS = ROOT / "scorer_service" / "environments"
RUST = ENVIRONMENTS / "rust_codecontests"
TRITON = ENVIRONMENTS / "triton_cumsum"
MODELS = ROOT / "scorer_service" / "language" / "models"
RESTRICTED_MLM = ROOT / "scorer_service" / "language" / "restricted_mlm"
PAIRS = Path(__file__).parent / "demo_models"
SHORT_REPAIR_S = 20

DOES_NOT_COMPILE = 'fn main() { let answer: u32 = "forty-two"; println!("{answer}"); }\n'
NARROWER_TYPES = """
import torch

def prefix_sum(x):
    positive = (x > 0).to(torch.int32)
    before = torch.cumsum(positive, 0, dtype=torch.int32) - positive
    return torch.cumsum(x * (before & 1), 0, dtype=torch.int32)
"""
GATE_TOO_EARLY = NARROWER_TYPES.replace(" - positive", "")
HANGS = "import time\n\nwhile True:\n    time.sleep(1)\n"
SOFTMAX = """

class OutsideTheRules(PositionModel):
    def forward(self, tokens):
        return super().forward(tokens).softmax(-1)


def get_model():
    return OutsideTheRules()
"""


@dataclass(frozen=True)
class Submission:
    """One line of the last table."""

    name: str
    about: str
    environment: str
    files: Mapping[str, str]
    """By name; for rust_codecontests one a problem."""
    arguments: Sequence[str | Path] = ("{first}",)
    """Of `scorer-client score ENVIRONMENT`; `{folder}` is that of the files, `{first}` the first of them."""

    def command(self, folder: Path) -> Sequence[str]:
        """The arguments, with the files in `folder`."""
        first = folder / next(iter(self.files), "")
        return [str(one).format(folder=folder, first=first) for one in self.arguments]


def triton() -> Iterator[Submission]:
    """From the starting solution to the reference, with one that is wrong."""
    for name, about, source in (
        ("starting", "the starting solution", (TRITON / "starter_files" / "solution.py").read_text()),
        ("narrower types", "an honest improvement: int32 throughout", NARROWER_TYPES),
        ("reference", "the reference solution", (TRITON / "reference" / "torch_scan.py").read_text()),
        ("wrong", "counts an element in its own gate", GATE_TOO_EARLY),
        (
            "Triton",
            "a Triton kernel; without a GPU it runs in Triton's interpreter, which is slow",
            (TRITON / "reference" / "triton_scan.py").read_text(),
        ),
    ):
        yield Submission(name, about, "triton_cumsum", {"solution.py": source})


def hanging() -> Submission:
    """One that never comes to its first call."""
    return Submission("hangs", "sleeps for ever when it is imported", "triton_cumsum", {"s.py": HANGS})


def rust() -> Iterator[Submission]:
    """Nothing solved, something of each, everything solved."""
    rows = map(json.loads, (RUST / "problem_set" / "reference_submission.jsonl").open())
    reference = {row["problem_id"]: row["source"] for row in rows}
    for name, about, programs in (
        ("starting", "programs that read and print nothing", dict.fromkeys(reference, "fn main() {}\n")),
        ("mixed", "some right programs, and one for each way to fail", mixed(reference)),
        ("reference", "the reference solution of every problem", reference),
    ):
        files = {f"{problem_id}.rs": source for problem_id, source in programs.items()}
        yield Submission(name, about, "rust_codecontests", files, ("{folder}",))


def mixed(reference: Mapping[str, str]) -> Mapping[str, str]:
    """A few right programs, one that does not compile, and one wrong program for each verdict."""
    ids = list(reference)
    programs = {problem_id: reference[problem_id] for problem_id in ids[:4]}
    programs[ids[4]] = DOES_NOT_COMPILE
    verdicts = set()
    for wrong in sorted((RUST / "problems").glob("*/wrong/*.rs")):
        verdict, problem_id = wrong.name.split("__")[0], wrong.parent.parent.name
        if verdict not in verdicts and problem_id not in programs:
            verdicts.add(verdict)
            programs[problem_id] = wrong.read_text()
    return programs


def fix_embedding(starter: Path) -> Iterator[Submission]:
    """The damaged model, a short repair of it, and the model before it was damaged."""
    name = "fix_embedding"
    yield Submission("starting", "the damaged model", name, {}, (starter / "data" / "damaged.safetensors",))
    script = (starter / "repair.py").read_text()
    seconds = next(line for line in script.splitlines() if line.startswith("SECONDS = "))
    yield Submission(
        "short repair",
        f"{SHORT_REPAIR_S} s of the starter's naive training of the embedding, in the sandbox",
        name,
        {"repair.py": script.replace(seconds, f"SECONDS = {SHORT_REPAIR_S}")},
        ("--repair", "{first}"),
    )
    yield Submission(
        "reference", "the model before it was damaged", name, {}, (MODELS / "original.safetensors",)
    )


def restricted_mlm() -> Iterator[Submission]:
    """From the starting solution to the reference, and a model outside the rules."""
    name = "restricted_mlm"
    starting = (RESTRICTED_MLM / "starting_model.py").read_text()
    yield Submission(
        "starting",
        "the starting solution",
        name,
        {"model.py": starting},
        ("{first}", "--weights", MODELS / "restricted_mlm_starting.safetensors"),
    )
    yield Submission(
        "softmax",
        "the starting solution with a softmax at its end, which the rules do not allow",
        name,
        {"model.py": starting + SOFTMAX},
        ("{first}", "--weights", MODELS / "restricted_mlm_starting.safetensors"),
    )
    yield Submission(
        "pairs",
        "an honest improvement: counts of pairs, made by its own script in the sandbox",
        name,
        {
            "model.py": (PAIRS / "pair_model.py").read_text(),
            "train.py": (PAIRS / "pair_train.py").read_text(),
        },
        ("{first}", "--train", "{folder}/train.py"),
    )
    yield Submission(
        "reference",
        "the reference solution",
        name,
        {"model.py": (RESTRICTED_MLM / "reference_model.py").read_text()},
        ("{first}", "--weights", MODELS / "restricted_mlm_reference.safetensors"),
    )
