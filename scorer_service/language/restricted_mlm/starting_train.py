"""Trains the starting solution of restricted_mlm; a minute is plenty, since it learns frequencies only.

    python starting_train.py --data FOLDER --output weights.safetensors

FOLDER holds training.u16: tokens, two bytes each, the lower first.
"""

import argparse
import time
from pathlib import Path

import torch
from safetensors.torch import save_file
from starting_model import MASK_TOKEN, VOCABULARY_SIZE, WINDOW_LENGTH, PositionModel  # type: ignore[import-not-found]
from torch.nn import functional

MASKED_SHARE = 0.15


def main() -> None:
    """Train and save weights in fp16."""
    options = argparse.ArgumentParser()
    options.add_argument("--data", type=Path, default=Path())
    options.add_argument("--output", type=Path, default=Path("weights.safetensors"))
    options.add_argument("--budget-s", type=float, default=540.0, help="wall clock, in seconds")
    options.add_argument("--steps", type=int, default=200, help="ends here if the time allows")
    given = options.parse_args()
    torch.manual_seed(1)
    raw = bytearray((given.data / "training.u16").read_bytes())
    tokens = torch.frombuffer(raw, dtype=torch.uint16).long()
    model = PositionModel()
    counts = torch.bincount(tokens, minlength=VOCABULARY_SIZE) + 0.5
    with torch.no_grad():
        model.head.bias.copy_(torch.log(counts / counts.sum()))
        model.head.weight.mul_(0.1)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.003)
    end = time.monotonic() + given.budget_s
    for step in range(given.steps):
        if time.monotonic() >= end:
            break
        optimizer.param_groups[0]["lr"] = 0.003 * (1 - step / given.steps)
        starts = torch.randint(0, len(tokens) - WINDOW_LENGTH, (8,))
        window = tokens[starts[:, None] + torch.arange(WINDOW_LENGTH)]
        masked = torch.rand(window.shape) < MASKED_SHARE
        logits = model(window.masked_fill(masked, MASK_TOKEN))
        loss = functional.cross_entropy(logits[masked], window[masked])
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        if step % 50 == 0:
            print(f"step {step}  loss {loss.item():.4f}", flush=True)
    save_file({name: tensor.half() for name, tensor in model.state_dict().items()}, given.output)


if __name__ == "__main__":
    main()
