"""Runs models in torch's own interpreter: `run_models.py FOLDER FILE...`, and prints what it found, as JSON.

For each model: the largest difference from the module itself, over batches of several sizes; whether a row's
logits depend on its neighbours or on the run; whether every step makes what the checker derived.
"""

import json
import sys
from pathlib import Path
from typing import Any

import torch

sys.path.insert(0, str(Path(__file__).parents[2]))

from scorer_service.graph import ModelInterface, check_archive, open_archive
from scorer_service.graph.dtypes import Kind
from scorer_service.graph.execute import MAGNITUDE_LIMIT, RunnableModel
from tests.graph.export_models import load_model
from tests.graph.models.interface import SEQUENCE_LENGTH, VOCABULARY

INTERFACE = ModelInterface(SEQUENCE_LENGTH, VOCABULARY, batch_rows=64, memory_limit_bytes=1 << 28)
DTYPES = {Kind.FLOAT: torch.float32, Kind.INTEGER: torch.int64}


class ComparedModel(RunnableModel):
    """A model that compares what every step makes with what the checker derived."""

    def run(self, tokens: torch.Tensor, **options: Any) -> torch.Tensor:
        self._rows = len(tokens)
        return super().run(tokens, **options)

    def _carry_out(self, prepared: Any, values: list[Any]) -> None:
        super()._carry_out(prepared, values)
        for slot, value in zip(prepared.outputs, prepared.step.results, strict=True):
            made = values[slot]
            shape = tuple(extent.at(self._rows) for extent in value.shape)
            if tuple(made.shape) != shape or made.dtype != DTYPES[value.kind]:
                raise AssertionError(f"{prepared.step.node}: {made.shape} {made.dtype}, not {value}")
            if value.kind is Kind.INTEGER and made.numel():
                low, high = int(made.min()), int(made.max())
                if low < value.low or high > value.high:
                    raise AssertionError(f"{prepared.step.node}: {low} to {high}, not {value}")


def compare(archive: Path, source: Path) -> dict[str, object]:
    """Run an archive and the module that it was made of."""
    module = load_model(source)
    with open_archive(archive) as opened:
        model = ComparedModel(check_archive(opened, INTERFACE), opened)
        precise = RunnableModel(check_archive(opened, INTERFACE), opened, float_dtype=torch.float64)
    difference = rounding = magnitude = 0.0
    rows_agree = runs_agree = True
    torch.manual_seed(2)
    for rows in (1, 2, 7, 64):
        tokens = torch.randint(VOCABULARY, (rows, SEQUENCE_LENGTH))
        logits = model.run(tokens, magnitude_limit=MAGNITUDE_LIMIT)
        with torch.inference_mode():
            expected = module(tokens)
        difference = max(difference, float((logits - expected).abs().max()))
        rounding = max(rounding, float((logits - precise.run(tokens)).abs().max()))
        magnitude = max(magnitude, float(expected.abs().max()))
        runs_agree &= bool(torch.equal(logits, model.run(tokens)))
        alone = torch.cat([model.run(row[None]) for row in tokens[:5]])
        rows_agree &= bool(torch.allclose(logits[:5], alone, rtol=1e-4, atol=1e-5 * magnitude))
    return {
        "relative difference": difference / magnitude,
        "relative rounding": rounding / magnitude,
        "rows agree": rows_agree,
        "runs agree": runs_agree,
    }


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    results = {}
    for name in sys.argv[2:]:
        source = Path(name)
        for suffix in ("", ".functional"):
            archive = folder / f"{source.stem}{suffix}.pt2"
            if suffix or source.stem != "allowed_in_place":
                results[archive.name] = compare(archive, source)
    print(json.dumps(results))
