"""Exports a solution of restricted_mlm in torch's own interpreter: `export_solution.py MODEL_FILE OUT`."""

import importlib.util
import sys
from pathlib import Path

import torch


def main(model_file: Path, out: Path) -> None:
    """Export as a submission is: any batch, windows of 128, strict."""
    spec = importlib.util.spec_from_file_location(model_file.stem, model_file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    tokens = torch.zeros(2, 128, dtype=torch.int64)
    batch = torch.export.Dim("batch", min=1, max=64)
    model = module.get_model().eval()
    torch.export.save(torch.export.export(model, (tokens,), dynamic_shapes=({0: batch},), strict=True), out)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
