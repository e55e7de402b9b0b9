"""Measures the models that ship and writes what came of it to scorer_service/language/models/manifest.toml.

Run with an interpreter that has torch, from the root of the repository, after training; takes minutes. What
has not changed since the last time is not measured again.
"""

import argparse
import hashlib
import importlib.util
import math
import secrets
import sys
import time
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load, load_file
from torch import Tensor, nn
from torch.nn import functional

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from scorer_service.language import corpus, permutation, shapes, shipped
from scorer_service.language.model import Gpt, from_tensors

LANGUAGE = Path(corpus.__file__).parent
MODELS = LANGUAGE / "models"
RESTRICTED = LANGUAGE / "restricted_mlm"

WINDOW_LENGTH = 128
MASK_DRAWS = 6
"""Disjoint draws of 19 positions: 114 of a window's 128 are predicted once."""
MASKED_PER_DRAW = 19
"""15 % of 128, rounded."""
SLICE_WINDOWS = 32
"""Windows at the start of the validation split whose losses the tests compute again."""
RETRAINING_S = 60.0


@dataclass(frozen=True)
class Loss:
    """A mean loss in nats a token."""

    mean: float
    standard_error: float
    """Of the mean over windows, which are taken as independent of each other."""
    window_deviation: float
    """Standard deviation of a window's mean."""
    token_count: int


Table = dict[str, Any]
"""An entry of the manifest: file, digest, and losses by text."""


def main() -> None:
    """Measure what has changed since the last time, and write the manifest."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--retraining-s", type=float, default=RETRAINING_S, help="CPU seconds")
    options.add_argument("--stride", type=int, default=1, help="measure on every so manieth window")
    options.add_argument("models", nargs="*", default=shipped.MODEL_NAMES)
    given = options.parse_args()
    torch.manual_seed(1)
    windows = {split: windows_of(split)[:: given.stride] for split in ("validation", "hidden")}
    windows["slice"] = windows_of("validation")[:SLICE_WINDOWS]
    path = MODELS / "manifest.toml"
    tables = read(path) if path.exists() else {}
    for name in given.models:
        file = MODELS / f"{name}.safetensors"
        sha256 = hashlib.sha256(file.read_bytes()).hexdigest()
        if tables.get(name, {}).get("sha256") == sha256:
            continue
        measured = {
            name: {"file": file.name, "sha256": sha256, **described(model_losses(name, file, windows))}
        }
        if name == "original":
            measured |= repairs(windows, given.retraining_s)
        # Read again, since another model may have been measured beside this one.
        tables = (read(path) if path.exists() else {}) | measured
        path.write_text(rendered(tables), encoding="utf-8")


def read(manifest: Path) -> dict[str, Table]:
    """The entries of a manifest, by model."""
    return tomllib.loads(manifest.read_text(encoding="utf-8"))


def model_losses(name: str, file: Path, windows: dict[str, Tensor]) -> dict[str, Loss]:
    """Losses of the model that ships under a name."""
    if name.startswith("restricted_mlm_"):
        return mlm_losses(restricted_model(name.removeprefix("restricted_mlm_"), file), windows)
    shape = {"original": shapes.ORIGINAL, "companion": shapes.COMPANION}[name]
    return gpt_losses(from_tensors(load_file(file), shape), windows)


def described(losses: dict[str, Loss]) -> Table:
    """Losses as the manifest has them."""
    return {
        part: {
            "mean": round(loss.mean, 4),
            "standard_error": round(loss.standard_error, 4),
            "window_deviation": round(loss.window_deviation, 4),
            "tokens": loss.token_count,
        }
        for part, loss in losses.items()
    }


def rendered(tables: dict[str, Table]) -> str:
    """The manifest."""
    text = (
        "# Files and losses of the models that ship, in nats a token. Written by\n"
        "# scripts/language/measure_models.py: change that, not this.\n"
    )
    for name in (*shipped.MODEL_NAMES, "damaged", "retrained"):
        if name in tables:
            text += f"\n[{name}]\n" + "".join(
                f"{key} = {_toml(value)}\n" for key, value in tables[name].items()
            )
    return text


def _toml(value: object) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_toml(inner)}" for key, inner in value.items()) + " }"
    return f'"{value}"' if isinstance(value, str) else str(value)


def windows_of(split: str) -> Tensor:
    """Disjoint windows of a split, in order: [windows, 128]."""
    raw = bytearray(corpus.to_bytes(corpus.load_tokens(split)))
    tokens = torch.frombuffer(raw, dtype=torch.uint16).long()
    return tokens[: len(tokens) // WINDOW_LENGTH * WINDOW_LENGTH].view(-1, WINDOW_LENGTH)


def restricted_model(name: str, weights: Path) -> nn.Module:
    """A solution of restricted_mlm with its weights."""
    spec = importlib.util.spec_from_file_location(f"{name}_model", RESTRICTED / f"{name}_model.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    model: nn.Module = module.get_model()
    model.load_state_dict({key: tensor.float() for key, tensor in load_file(weights).items()})
    return model


def gpt_losses(model: Gpt, windows: dict[str, Tensor]) -> dict[str, Loss]:
    """Loss on validation, its slice and hidden."""
    return by_part(windows, lambda part: gpt_window_losses(model, part), WINDOW_LENGTH - 1)


def mlm_losses(model: nn.Module, windows: dict[str, Tensor]) -> dict[str, Loss]:
    """Loss on validation, its slice and hidden."""
    return by_part(windows, lambda part: mlm_window_losses(model, part), MASK_DRAWS * MASKED_PER_DRAW)


def by_part(
    windows: dict[str, Tensor], window_losses: Callable[[Tensor], Tensor], tokens_per_window: int
) -> dict[str, Loss]:
    """Losses on each part, printed as well."""
    found = {name: summary(window_losses(part), tokens_per_window) for name, part in windows.items()}
    for name, loss in found.items():
        print(f"{name:10} {loss.mean:.4f} +- {loss.standard_error:.4f}", end="  ")
        print(f"(a window's mean varies by {loss.window_deviation:.3f})", flush=True)
    return found


def summary(losses: Tensor, tokens_per_window: int) -> Loss:
    """Mean over windows, each of as many tokens."""
    deviation = float(losses.std())
    count = len(losses)
    return Loss(float(losses.mean()), deviation / math.sqrt(count), deviation, count * tokens_per_window)


@torch.inference_mode()  # type: ignore[untyped-decorator]
def gpt_window_losses(model: Gpt, windows: Tensor) -> Tensor:
    """Mean loss of each window: tokens 2 to 128, each from those before it."""
    losses = []
    for batch in windows.split(16):
        logits = model(batch[:, :-1]).flatten(0, 1)
        each = functional.cross_entropy(logits.double(), batch[:, 1:].flatten(), reduction="none")
        losses.append(each.view(len(batch), -1).mean(dim=1))
    return torch.cat(losses)


@torch.inference_mode()  # type: ignore[untyped-decorator]
def mlm_window_losses(model: nn.Module, windows: Tensor) -> Tensor:
    """Mean loss of each window over disjoint draws of masked positions, from a fixed seed."""
    mask_token = corpus.load_manifest().mask_token
    drawn = torch.Generator().manual_seed(2)
    losses = []
    for batch in windows.split(16):
        order = torch.rand(batch.shape, generator=drawn).argsort(dim=1)
        total = torch.zeros(len(batch), dtype=torch.float64)
        for draw in range(MASK_DRAWS):
            masked = order[:, draw * MASKED_PER_DRAW : (draw + 1) * MASKED_PER_DRAW]
            logits = model(batch.scatter(1, masked, mask_token))
            picked = logits[torch.arange(len(batch))[:, None], masked].flatten(0, 1)
            targets = batch.gather(1, masked).flatten()
            each = functional.cross_entropy(picked.double(), targets, reduction="none")
            total += each.view(len(batch), -1).sum(dim=1)
        losses.append(total / (MASK_DRAWS * MASKED_PER_DRAW))
    return torch.cat(losses)


def repairs(windows: dict[str, Tensor], retraining_s: float) -> dict[str, Table]:
    """What the damage does, and what a minute of retraining the embedding mends."""
    whole = (MODELS / "original.safetensors").read_bytes()
    model = from_tensors(load(permutation.damage(whole, secrets.token_bytes(32))), shapes.ORIGINAL)
    damaged = described(gpt_losses(model, windows))
    steps = retrain_embedding(model, retraining_s)
    retrained = {"cpu_s": retraining_s, "steps": steps, **described(gpt_losses(model, windows))}
    return {"damaged": damaged, "retrained": retrained}


def retrain_embedding(model: Gpt, budget_s: float) -> int:
    """The naive repair: train the token embedding alone, by Adam. Returns the number of steps."""
    raw = bytearray(corpus.to_bytes(corpus.load_tokens("training")))
    tokens = torch.frombuffer(raw, dtype=torch.uint16).long()
    for parameter in model.parameters():
        parameter.requires_grad_(False)
    weight = model.token_embedding.weight.requires_grad_(True)
    optimizer = torch.optim.Adam([weight], lr=0.01, betas=(0.9, 0.98))
    start, steps = time.process_time(), 0
    while (spent := (time.process_time() - start) / budget_s) < 1:
        optimizer.param_groups[0]["lr"] = 0.01 * min(1.0, (1 - spent) / 0.6)
        starts = torch.randint(0, len(tokens) - WINDOW_LENGTH - 1, (8,))
        window = tokens[starts[:, None] + torch.arange(WINDOW_LENGTH + 1)]
        with torch.autocast("cpu", torch.bfloat16):
            logits = model(window[:, :-1])
        functional.cross_entropy(logits.flatten(0, 1), window[:, 1:].flatten()).backward()
        optimizer.step()
        optimizer.zero_grad()
        steps += 1
    return steps


if __name__ == "__main__":
    main()
