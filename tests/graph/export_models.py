"""Exports models of the corpus in torch's own interpreter: `export_models.py OUT FILE...`.

Writes FILE's name with .pt2 for what the exporter records at first, and with .functional.pt2 for what it
records once it has turned changes in place into functions; .error holds what the exporter refused by itself.
"""

import importlib.util
import sys
import traceback
import warnings
from pathlib import Path
from typing import Any

import torch

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.graph.models.interface import SEQUENCE_LENGTH


def load_model(path: Path) -> Any:
    """Make the model of a file, the same one every time."""
    specification = importlib.util.spec_from_file_location(path.stem, path)
    assert specification
    assert specification.loader
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    torch.manual_seed(1)
    return module.get_model().eval()


def export_model(path: Path, out: Path) -> None:
    """Export one file's model both ways."""
    batch = torch.export.Dim("batch", min=1, max=64)
    program = torch.export.export(
        load_model(path), (torch.zeros(2, SEQUENCE_LENGTH, dtype=torch.int64),), dynamic_shapes=({0: batch},)
    )
    torch.export.save(program, out / f"{path.stem}.pt2")
    torch.export.save(program.run_decompositions({}), out / f"{path.stem}.functional.pt2")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    for name in sys.argv[2:]:
        try:
            export_model(Path(name), Path(sys.argv[1]))
        except Exception:
            (Path(sys.argv[1]) / f"{Path(name).stem}.error").write_text(traceback.format_exc())
