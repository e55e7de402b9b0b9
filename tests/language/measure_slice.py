"""Losses of the models that ship on the slice of validation, as JSON, in torch's own interpreter."""

import importlib.util
import json
import os
from pathlib import Path

os.environ["OMP_NUM_THREADS"] = "1"

ROOT = Path(__file__).parents[2]


def main() -> None:
    """Measure as the script does that wrote the manifest, but the slice alone."""
    spec = importlib.util.spec_from_file_location(
        "measure_models", ROOT / "scripts/language/measure_models.py"
    )
    assert spec is not None
    assert spec.loader is not None
    measure = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(measure)
    windows = measure.windows_of("validation")[: measure.SLICE_WINDOWS]
    losses = {}
    for name, shape in (("original", measure.shapes.ORIGINAL), ("companion", measure.shapes.COMPANION)):
        model = measure.from_tensors(measure.load_file(measure.MODELS / f"{name}.safetensors"), shape)
        losses[name] = float(measure.gpt_window_losses(model, windows).mean())
    for name in ("starting", "reference"):
        weights = measure.MODELS / f"restricted_mlm_{name}.safetensors"
        model = measure.restricted_model(name, weights)
        losses[f"restricted_mlm_{name}"] = float(measure.mlm_window_losses(model, windows).mean())
    print(json.dumps(losses))


if __name__ == "__main__":
    main()
