"""Runs changed graphs where torch is: `fuzz_models.py SEED COUNT ARCHIVE...`, and prints counts, as JSON.

Each round changes a few arguments, names or operators of a graph, and takes the archive's claims about its
tensors away, so that only what the checker derives by itself stands between a change and the device. Where
the checker still accepts, the graph must run, make what was derived, and keep rows apart.
"""

import copy
import json
import random
import sys
from pathlib import Path
from typing import Any

import torch

sys.path.insert(0, str(Path(__file__).parents[2]))

from scorer_service.graph import Archive, ArchiveError, CheckedGraph, GraphRefused, open_archive
from scorer_service.graph.check import GraphChecker
from scorer_service.graph.parse import parse_program
from scorer_service.graph.table import ALLOWED
from scorer_service.graph.values import Value
from tests.graph.models.interface import SEQUENCE_LENGTH, VOCABULARY
from tests.graph.run_models import INTERFACE, ComparedModel

NUMBERS = (-(1 << 63), -17, -2, -1, 0, 1, 2, 3, 4, 8, 16, 23, 24, 1 << 20, (1 << 63) - 1)


class CredulousChecker(GraphChecker):
    """A checker that compares nothing with the archive's claims."""

    def _compare_claim(self, name: str, value: Value) -> None:
        pass


def change(document: dict[str, Any], chance: random.Random) -> None:
    """Change one thing about one node."""
    nodes = document["graph_module"]["graph"]["nodes"]
    position = chance.randrange(len(nodes))
    node = nodes[position]
    kind = chance.randrange(5)
    if kind == 0:
        node["target"] = "torch.ops." + chance.choice(sorted(ALLOWED))
        names = [item.name for item in ALLOWED[node["target"][10:]].parameters]
        for name, argument in zip(names, node["inputs"], strict=False):
            argument["name"] = name
    elif kind == 1 and node["inputs"]:
        node["inputs"].pop(chance.randrange(len(node["inputs"])))
    else:
        change_leaf(node["inputs"], tensor_names(document, position), chance)


def tensor_names(document: dict[str, Any], position: int) -> list[str]:
    """What is there before a node runs."""
    graph = document["graph_module"]["graph"]
    names = [item["as_tensor"]["name"] for item in graph["inputs"]]
    for node in graph["nodes"][:position]:
        names += [item["as_tensor"]["name"] for item in node["outputs"] if "as_tensor" in item]
    return names


def change_leaf(inputs: list[Any], names: list[str], chance: random.Random) -> None:
    """Change one number or one name somewhere in the arguments."""
    leaves: list[tuple[Any, Any]] = []

    def collect(value: Any) -> None:
        items = (
            value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        )
        for key, item in list(items):
            if key not in ("kind",) and (type(item) in (int, bool, float) or key == "name"):
                leaves.append((value, key))
            collect(item)

    collect([item["arg"] for item in inputs])
    if not leaves:
        return
    parent, key = chance.choice(leaves)
    if key == "name":
        parent[key] = chance.choice(names)
    elif type(parent[key]) is bool:
        parent[key] = not parent[key]
    else:
        parent[key] = chance.choice(NUMBERS)


def try_one(document: dict[str, Any], archive: Archive) -> str:
    """Check and run a document. Returns what became of it."""
    try:
        graph: CheckedGraph = CredulousChecker(parse_program(document), archive, INTERFACE).check()
    except ArchiveError:
        return "malformed"
    except GraphRefused:
        return "refused"
    model = ComparedModel(graph, archive)
    tokens = torch.randint(VOCABULARY, (5, SEQUENCE_LENGTH))
    logits = model.run(tokens)
    order = torch.tensor([3, 1, 4, 0, 2])
    moved = model.run(tokens[order])
    scale = float(logits.abs().max()) or 1.0
    if not torch.allclose(logits[order], moved, rtol=1e-3, atol=1e-4 * scale, equal_nan=True):
        raise AssertionError("the logits of a row depend on the other rows")
    return "ran"


def main(seed: int, count: int, archives: list[Path]) -> dict[str, int]:
    """Change every archive's graph `count` times."""
    chance = random.Random(seed)
    torch.manual_seed(seed)
    results = {"malformed": 0, "refused": 0, "ran": 0}
    for path in archives:
        with open_archive(path) as archive:
            original = archive.read_graph_json()
            for round_number in range(count):
                document = copy.deepcopy(original)
                for _ in range(chance.randrange(1, 3)):
                    change(document, chance)
                try:
                    results[try_one(document, archive)] += 1
                except Exception as error:
                    raise AssertionError(
                        f"{path.name}, seed {seed}, round {round_number}: {error}"
                    ) from error
    return results


if __name__ == "__main__":
    print(json.dumps(main(int(sys.argv[1]), int(sys.argv[2]), [Path(name) for name in sys.argv[3:]])))
