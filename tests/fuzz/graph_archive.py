"""Archives of exported models: their zip records, their JSON, their tables of weights.

Whatever is done to one, judging it ends in an accepted graph or in one of two errors. What is tried and how
far it came decides what is changed next.
"""

import json
import os
import random
import struct
import tempfile
import time
from pathlib import Path
from typing import Any

from leftovers import resident_bytes

from scorer_service.graph import ArchiveError, GraphRefused, ModelInterface, check_archive, open_archive
from scorer_service.graph.table import ALLOWED
from tests.fuzz.campaign import Fault
from tests.fuzz.documents import NUMBERS, changed, written
from tests.fuzz.guided import Corpus
from tests.graph.archive_editing import CONSTANTS, MODEL, WEIGHTS, read_parts, write_parts

ARCHIVE = Path(__file__).parents[1] / "graph" / "archives" / "gpt.pt2"
INTERFACE = ModelInterface(sequence_length=16, vocabulary=23, batch_rows=64, memory_limit_bytes=1 << 28)
CPU_LIMIT_S = 20.0
"""For one input, traced: honest ones take a tenth of a second."""
MESSAGE_LIMIT_CHARACTERS = 20_000
"""Of one refusal: who refuses cannot know what of it is shown."""

Documents = dict[str, Any]


class GraphArchiveSurface:
    """The reader and the checker, in this process."""

    name = "graph archives"
    growth_limit_bytes = 96 << 20
    """The corpus, of graphs that take half a megabyte each as Python has them."""

    def __init__(self) -> None:
        self._parts = read_parts(ARCHIVE)
        self._content = ARCHIVE.read_bytes()
        documents = {name: json.loads(self._parts[name]) for name in (MODEL, WEIGHTS, CONSTANTS)}
        self._corpus: Corpus[Documents] = Corpus([documents], ["/scorer_service/graph/"])
        self._folder = tempfile.TemporaryDirectory(prefix="fuzz-graph-")
        self._path = Path(self._folder.name) / "model.pt2"

    def attempt(self, chance: random.Random) -> str:
        """One archive."""
        if chance.random() < 0.25:
            self._path.write_bytes(self._broken(chance))
            return self._judge()
        documents = self._changed(chance)
        text = {name: written(document, chance) for name, document in documents.items()}
        write_parts(self._path, self._parts | text)
        with self._corpus.watching(documents):
            return self._judge()

    def resident_bytes(self) -> int:
        """Of this process."""
        return resident_bytes(os.getpid())

    def close(self) -> None:
        """Remove the file."""
        self._folder.cleanup()

    def _judge(self) -> str:
        began_s = time.process_time()
        try:
            with open_archive(self._path) as archive:
                check_archive(archive, INTERFACE)
            return "accepted"
        except ArchiveError as error:
            if len(str(error)) > MESSAGE_LIMIT_CHARACTERS:
                raise Fault(f"a message of {len(str(error))} characters: {str(error)[:200]}") from error
            return "malformed"
        except GraphRefused as error:
            longest = max(len(refusal.reason) for refusal in error.refusals)
            if longest > MESSAGE_LIMIT_CHARACTERS:
                raise Fault(f"a reason of {longest} characters: {str(error)[:200]}") from error
            return "refused"
        finally:
            if (taken_s := time.process_time() - began_s) > CPU_LIMIT_S:
                raise Fault(f"took {taken_s:.0f} s")

    def _changed(self, chance: random.Random) -> Documents:
        documents = dict(self._corpus.choose(chance))
        if chance.random() < 0.6:
            model = json.loads(json.dumps(documents[MODEL]))
            for _ in range(chance.choice((1, 1, 2, 5))):
                _change_node(model, chance)
            documents[MODEL] = model
        else:
            name = chance.choice((MODEL, MODEL, WEIGHTS, CONSTANTS))
            documents[name] = changed(documents[name], chance)
        return documents

    def _broken(self, chance: random.Random) -> bytes:
        """The zip file with some bytes of its records changed, cut, or doubled."""
        content = bytearray(self._content)
        places = [
            found
            for mark in (b"PK\1\2", b"PK\3\4", b"PK\5\6", b"PK\6\6", b"PK\6\7")
            for found in _finds(self._content, mark)
        ]
        for _ in range(chance.choice((1, 1, 2, 3))):
            place = min(chance.choice(places) + chance.randrange(50), len(content) - 9)
            how = chance.randrange(4)
            if how == 0:
                content[place] = chance.randrange(256)
            elif how == 1:
                content[place : place + 8] = struct.pack("<Q", int(chance.choice(NUMBERS)) & ((1 << 64) - 1))
            elif how == 2:
                content[place : place + 4] = chance.choice(
                    (b"\xff\xff\xff\xff", b"PK\1\2", b"PK\5\6", b"\0\0\0\0")
                )
            else:
                del content[place : place + chance.choice((1, 4, 30, 3000))]
            if len(content) < 60:
                break
        return bytes(content)


def _finds(content: bytes, mark: bytes) -> list[int]:
    found, at = [], content.find(mark)
    while at >= 0:
        found.append(at)
        at = content.find(mark, at + 1)
    return found


def _change_node(model: dict[str, Any], chance: random.Random) -> None:
    """Another operator with arguments by its own names, drawn from what is there."""
    nodes = model.get("graph_module", {}).get("graph", {}).get("nodes")
    if not isinstance(nodes, list) or not nodes:
        return
    node = chance.choice(nodes)
    if not isinstance(node, dict):
        return
    operator = chance.choice(list(ALLOWED.values()))
    node["target"] = f"torch.ops.{operator.name}"
    names = list(model["graph_module"]["graph"].get("tensor_values", {})) or ["x"]
    sizes = list(model["graph_module"]["graph"].get("sym_int_values", {})) or ["s"]

    def draw() -> dict[str, Any]:
        number = chance.choice([value for value in NUMBERS if isinstance(value, int)])
        options: list[dict[str, Any]] = [
            {"as_tensor": {"name": chance.choice(names)}},
            {"as_tensor": {"name": chance.choice(names)}},
            {"as_int": number},
            {"as_int": chance.choice((0, 1, 2, -1))},
            {"as_ints": [chance.choice(NUMBERS[:16]) for _ in range(chance.choice((0, 1, 2, 3, 9)))]},
            {"as_float": chance.choice((0.5, 1e30, "NaN", "Infinity", -0.0))},
            {"as_bool": chance.random() < 0.5},
            {"as_none": True},
            {"as_tensors": [{"name": chance.choice(names)} for _ in range(chance.choice((0, 1, 2, 5)))]},
            {"as_sym_int": {"as_name": chance.choice(sizes)}},
            {"as_sym_ints": [{"as_name": chance.choice(sizes)}, {"as_int": chance.choice((-1, 16, number))}]},
            {"as_scalar_type": chance.choice((5, 7, 13, 99))},
            {"as_string": chance.choice(("constant", "bte,ve->btv", "...i,i...->...", "a.b->", "ii->i"))},
        ]
        return chance.choice(options)

    node["inputs"] = [
        {"name": parameter.name, "arg": draw(), "kind": 1}
        for parameter in operator.parameters
        if not parameter.is_ignored and (parameter.is_required or chance.random() < 0.4)
    ]
