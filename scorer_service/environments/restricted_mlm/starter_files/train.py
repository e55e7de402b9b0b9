#!/usr/bin/env python3
"""Trains the model of model.py on masked tokens, and writes $weights_file now and then.

Runs in the sandbox of the service as well as beside `data/`.
"""

# mypy: disable-error-code="import-not-found"

import sys
import time
from pathlib import Path
from typing import Any

try:
    import model
    import numpy as np
    import torch
    from safetensors.torch import save_file
    from torch.nn import functional
except ImportError as error:
    sys.exit(f"{sys.executable}: {error}. Take a Python that has torch, numpy and safetensors")

SECONDS = 60
"""For training. In the sandbox there are $wall_limit_s s for all."""
BATCH_SIZE = 8
RATE = 3e-3
SAVE_EVERY_S = 15.0
COUNTED_TOKENS = 10_000_000
MASKED_SHARE = 0.15
SERVICE_DATA = Path("$data_dir")
DATA = SERVICE_DATA if SERVICE_DATA.is_dir() else Path(__file__).resolve().parent / "data"
OUTPUT = Path("$weights_file")


def main() -> None:
    """Train until the time is up."""
    # The text may be larger than memory.
    tokens = np.memmap(DATA / "training.u16", dtype="<u2", mode="r")
    device = "cuda" if torch.cuda.is_available() else "cpu"
    trained = model.get_model().to(device)
    start_from_frequencies(trained, tokens)
    optimizer = torch.optim.Adam(trained.parameters(), lr=RATE)
    began_s = saved_s = time.monotonic()
    while (spent_s := time.monotonic() - began_s) < SECONDS:
        optimizer.param_groups[0]["lr"] = RATE * (1 - spent_s / SECONDS)
        starts = np.random.randint(0, len(tokens) - model.WINDOW_LENGTH, (BATCH_SIZE, 1))
        found = tokens[starts + np.arange(model.WINDOW_LENGTH)]
        windows = torch.from_numpy(found.astype(np.int64)).to(device)
        masked = torch.rand(windows.shape, device=device) < MASKED_SHARE
        logits = trained(windows.masked_fill(masked, model.MASK_TOKEN))
        loss = functional.cross_entropy(logits[masked], windows[masked])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if time.monotonic() - saved_s > SAVE_EVERY_S:
            saved_s = time.monotonic()
            print(f"{spent_s:.0f}/{SECONDS} seconds, loss {loss.item():.3f}", flush=True)
            save(trained)
    save(trained)


def start_from_frequencies(trained: Any, tokens: Any) -> None:
    """Say at first how often each token is, whatever the others are."""
    part = torch.from_numpy(tokens[:COUNTED_TOKENS].astype(np.int64))
    counts = torch.bincount(part, minlength=len(trained.head.bias)) + 0.5
    with torch.no_grad():
        trained.head.bias.copy_(torch.log(counts / counts.sum()))
        trained.head.weight.mul_(0.1)


def save(trained: Any) -> None:
    """Write the weights under another name first, so that no half file is ever found."""
    part = OUTPUT.with_suffix(".part")
    save_file({name: tensor.half() for name, tensor in trained.state_dict().items()}, part)
    part.replace(OUTPUT)


if __name__ == "__main__":
    main()
