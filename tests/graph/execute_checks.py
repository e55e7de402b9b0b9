"""Attempts that need torch: `execute_checks.py names`, or `execute_checks.py attempts ARCHIVE FOLDER`."""

# mypy: allow-subclassing-any

import json
import struct
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

sys.path.insert(0, str(Path(__file__).parents[2]))

from scorer_service.graph import check_archive, open_archive
from scorer_service.graph.execute import RunnableModel
from scorer_service.graph.implementations import CREATORS, FUNCTIONS, RESHAPES
from scorer_service.graph.table import ALLOWED
from tests.graph.archive_editing import MODEL, edit_json, read_parts, write_parts
from tests.graph.models.interface import SEQUENCE_LENGTH, VOCABULARY
from tests.graph.run_models import INTERFACE

SIZES = {"aten.sym_size.int", "_operator.mul", "aten._assert_tensor_metadata.default"}
"""Rows that make no tensor."""


def names() -> dict[str, list[str]]:
    """Compare the two halves of the table."""
    implemented = [*FUNCTIONS, *RESHAPES, *CREATORS]
    return {
        "missing": sorted(set(ALLOWED) - set(implemented) - SIZES),
        "superfluous": sorted(
            name for name in implemented if name not in ALLOWED or implemented.count(name) > 1
        ),
    }


class LiveBytes(TorchDispatchMode):
    """Counts the bytes of the storages that operators make and that are still alive."""

    def __init__(self) -> None:
        super().__init__()
        self.peak = 0
        self._alive: dict[int, tuple[Any, int]] = {}

    def __torch_dispatch__(self, operator: Any, types: Any, arguments: Any = (), keywords: Any = None) -> Any:
        made = operator(*arguments, **(keywords or {}))
        for tensor in made if isinstance(made, (list, tuple)) else [made]:
            if isinstance(tensor, torch.Tensor):
                storage = tensor.untyped_storage()
                self._alive[storage._cdata] = (
                    torch.multiprocessing.reductions.StorageWeakRef(storage),
                    len(storage),
                )
        self._alive = {key: item for key, item in self._alive.items() if not item[0].expired()}
        self.peak = max(self.peak, sum(size for _, size in self._alive.values()))
        return made


def attempts(archive: Path, folder: Path) -> dict[str, list[object]]:
    """Run the archive, changed in one way each, and say what was raised."""
    weight = "data/weights/weight_2"
    tokens = torch.zeros(3, SEQUENCE_LENGTH, dtype=torch.int64)

    def with_weight(number: float) -> Callable[[], object]:
        parts = read_parts(archive)
        parts[weight] = struct.pack("<f", number) + parts[weight][4:]
        path = write_parts(folder / f"weight{number}.pt2", parts)
        return lambda: run(path, tokens)

    def damaged() -> object:
        with open_archive(archive) as opened:
            offset = opened.weights["positions.weight"].entry.offset
        data = bytearray(archive.read_bytes())
        data[offset] ^= 1
        (folder / "damaged.pt2").write_bytes(data)
        return run(folder / "damaged.pt2", tokens)

    def overflow(document: Any) -> None:
        """Make the numbers in the code large, as a model would that overflows on purpose."""
        for node in document["graph_module"]["graph"]["nodes"]:
            for argument in node["inputs"]:
                if "as_float" in argument["arg"] and node["target"].endswith("mul.Tensor"):
                    argument["arg"]["as_float"] = 6e4

    grown = edit_json(archive, folder / "grown.pt2", MODEL, overflow)
    tries: dict[str, Callable[[], object]] = {
        "infinite weight": with_weight(float("inf")),
        "nan weight": with_weight(float("nan")),
        "huge weight": with_weight(1e6),
        "damaged weight": damaged,
        "overflow": lambda: run(grown, tokens + 3, magnitude_limit=1e5),
        "deadline": lambda: run(archive, tokens, deadline_s=0.0),
        "token too large": lambda: run(archive, tokens + VOCABULARY),
        "negative token": lambda: run(archive, tokens - 1),
        "wrong length": lambda: run(archive, tokens[:, 1:]),
        "floats as tokens": lambda: run(archive, tokens.float()),
        "too many rows": lambda: run(archive, torch.zeros(65, SEQUENCE_LENGTH, dtype=torch.int64)),
    }
    results: dict[str, list[object]] = {}
    for name, attempt in tries.items():
        try:
            attempt()
            results[name] = ["nothing", ""]
        except Exception as error:
            results[name] = [type(error).__name__, str(error)]
    results["peak bytes"] = list(peak_bytes(archive))
    return results


def run(archive: Path, tokens: torch.Tensor, **options: Any) -> torch.Tensor:
    with open_archive(archive) as opened:
        model = RunnableModel(check_archive(opened, INTERFACE), opened)
    return model.run(tokens, **options)


def peak_bytes(archive: Path) -> tuple[int, int]:
    """Measured and estimated bytes of the tensors that live at once in the largest batch."""
    with open_archive(archive) as opened:
        graph = check_archive(opened, INTERFACE)
        model = RunnableModel(graph, opened)
    tokens = torch.zeros(INTERFACE.batch_rows, SEQUENCE_LENGTH, dtype=torch.int64)
    with LiveBytes() as live:
        model.run(tokens)
    return live.peak, graph.peak_bytes


if __name__ == "__main__":
    if sys.argv[1] == "names":
        print(json.dumps(names()))
    else:
        print(json.dumps(attempts(Path(sys.argv[2]), Path(sys.argv[3]))))
