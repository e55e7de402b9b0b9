#!/usr/bin/env python3
"""A naive repair: trains the token embedding, from the damaged one, and leaves all else as it is.

Runs in the sandbox of the service as well as beside `data/`; writes repaired.safetensors.
"""

# mypy: disable-error-code="import-not-found"

import sys
import time
from pathlib import Path
from typing import Any

try:
    import numpy as np
    import torch
    from safetensors.torch import load_file, save_file
except ImportError as error:
    sys.exit(f"{sys.executable}: {error}. Take a Python that has torch, numpy and safetensors")

sys.path += ["$data_dir", str(Path(__file__).resolve().parent / "data")]

import model
import shapes

SECONDS = 420
"""For training. In the sandbox there are $wall_limit_s s for all."""
BATCH_TOKENS = 2048
RATE = 3e-3
SAVE_EVERY_S = 30.0
DATA = Path(shapes.__file__).parent
OUTPUT = Path("repaired.safetensors")


def main() -> None:
    """Train until the time is up, and save now and then."""
    device = "cuda" if torch.cuda.is_available() else "cpu"
    gpt = model.from_tensors(load_file(DATA / "damaged.safetensors"), shapes.ORIGINAL).to(device)
    # The text may be larger than memory.
    tokens = np.memmap(DATA / "training.u16", dtype="<u2", mode="r")
    length = shapes.ORIGINAL.context_length
    batch_size = max(1, BATCH_TOKENS // length)
    gpt.requires_grad_(False)
    embedding = gpt.token_embedding.weight.requires_grad_(True)
    optimizer = torch.optim.Adam([embedding], lr=RATE, betas=(0.9, 0.98))
    began_s = saved_s = time.monotonic()
    while (spent_s := time.monotonic() - began_s) < SECONDS:
        optimizer.param_groups[0]["lr"] = RATE * (1 - spent_s / SECONDS)
        starts = np.random.randint(0, len(tokens) - length, (batch_size, 1))
        windows = torch.from_numpy(tokens[starts + np.arange(length)].astype(np.int64)).to(device)
        logits = gpt(windows[:, :-1])
        loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), windows[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if time.monotonic() - saved_s > SAVE_EVERY_S:
            saved_s = time.monotonic()
            print(f"{spent_s:.0f}/{SECONDS} seconds, loss {loss.item():.3f}")
            save(gpt)
    save(gpt)


def save(gpt: Any) -> None:
    """Write the weights under another name first, so that no half file is ever found."""
    part = OUTPUT.with_suffix(".part")
    save_file({name: tensor.detach().clone() for name, tensor in gpt.state_dict().items()}, part)
    part.replace(OUTPUT)


if __name__ == "__main__":
    main()
