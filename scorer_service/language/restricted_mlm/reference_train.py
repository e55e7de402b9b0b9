"""Trains the reference solution of restricted_mlm in the time given, ten minutes on two cores by default.

    python reference_train.py --data FOLDER --output weights.safetensors

FOLDER holds training.u16: tokens, two bytes each, the lower first.
"""

import argparse
import math
import time
from pathlib import Path

import torch
from reference_model import MASK_TOKEN, VOCABULARY_SIZE, WINDOW_LENGTH, NeighbourModel  # type: ignore[import-not-found]
from safetensors.torch import save_file
from torch import Tensor
from torch.nn import functional

MASKED_SHARE = 0.15
SAVE_INTERVAL_S = 60.0
"""What has been saved can be judged if the time runs out."""


def main() -> None:
    """Train and save weights in fp16."""
    options = argparse.ArgumentParser()
    options.add_argument("--data", type=Path, default=Path())
    options.add_argument("--output", type=Path, default=Path("weights.safetensors"))
    options.add_argument("--budget-s", type=float, default=540.0, help="wall clock, in seconds")
    options.add_argument("--steps", type=int, default=1300, help="ends here if the time allows")
    options.add_argument("--batch-size", type=int, default=16, help="windows in a step")
    given = options.parse_args()
    torch.manual_seed(1)
    raw = bytearray((given.data / "training.u16").read_bytes())
    tokens = torch.frombuffer(raw, dtype=torch.uint16).long()
    model = NeighbourModel()
    initialise(model, tokens)
    train(model, tokens, given)
    save(model, given.output)


def initialise(model: NeighbourModel, tokens: Tensor) -> None:
    """Start from frequencies, and from the singular vectors of which tokens stand beside each other."""
    counts = torch.bincount(tokens, minlength=VOCABULARY_SIZE) + 0.5
    pairs = torch.bincount(tokens[:-1] * VOCABULARY_SIZE + tokens[1:], minlength=VOCABULARY_SIZE**2)
    expected = counts[:, None] * counts[None, :] / counts.sum()
    association = torch.log((pairs.view_as(expected) + 1) / (expected + 1)).clamp(min=0)
    both = torch.cat([association, association.T], dim=1)
    width = model.embedding.embedding_dim
    left, strength, _ = torch.svd_lowrank(both, q=width, niter=3)
    company = left * strength.sqrt()
    with torch.no_grad():
        model.embedding.weight.copy_(company / company.std() * 0.3)
        model.topic_embedding.weight.copy_(company / company.std() * 0.1)
        model.head.weight.copy_(company / company.std() * 0.1)
        model.head.bias.copy_(torch.log(counts / counts.sum()))
        model.direct.weight.zero_()
        model.hidden_in.weight.mul_(0.5)
        model.hidden_out.weight.mul_(0.2)


def train(model: NeighbourModel, tokens: Tensor, given: argparse.Namespace) -> None:
    """Muon for the inner matrices, Adam for the rest; the rates fall to zero at the end of steps or time."""
    inner = [
        m.weight
        for m in (
            model.from_neighbours,
            model.gate,
            model.from_topic,
            model.hidden_in,
            model.hidden_out,
            model.direct,
        )
    ]
    others = [p for p in model.parameters() if all(p is not matrix for matrix in inner)]
    optimizers = [
        torch.optim.Muon(inner, lr=0.02, weight_decay=0.01, momentum=0.95, ns_steps=4),
        torch.optim.Adam(others, lr=0.006, betas=(0.9, 0.98), fused=True),
    ]
    rates = [optimizer.param_groups[0]["lr"] for optimizer in optimizers]
    start, smooth, saved, step = time.monotonic(), math.nan, 0.0, 0
    while True:
        spent_s = time.monotonic() - start
        spent = max(spent_s / given.budget_s, step / given.steps)
        if spent >= 1:
            break
        share = min(1.0, (step + 1) / 30) * min(1.0, (1 - spent) / 0.6)
        for optimizer, rate in zip(optimizers, rates, strict=True):
            optimizer.param_groups[0]["lr"] = rate * share
        starts = torch.randint(0, len(tokens) - WINDOW_LENGTH, (given.batch_size,))
        window = tokens[starts[:, None] + torch.arange(WINDOW_LENGTH)]
        masked = torch.rand(window.shape) < MASKED_SHARE
        with torch.autocast("cpu", torch.bfloat16):
            logits = model(window.masked_fill(masked, MASK_TOKEN))
        loss = functional.cross_entropy(logits.flatten(0, 1), window.flatten())
        loss.backward()
        for optimizer in optimizers:
            optimizer.step()
            optimizer.zero_grad()
        smooth = loss.item() if math.isnan(smooth) else 0.98 * smooth + 0.02 * loss.item()
        if step % 50 == 0:
            print(
                f"{spent_s:.0f} s ({time.process_time():.0f} CPU)  step {step}  loss {smooth:.4f}", flush=True
            )
        if spent_s - saved > SAVE_INTERVAL_S:
            save(model, given.output)
            saved = spent_s
        step += 1


def save(model: NeighbourModel, output: Path) -> None:
    """Write the weights in fp16, whole or not at all."""
    unfinished = output.with_suffix(".unfinished")
    save_file({name: tensor.half() for name, tensor in model.state_dict().items()}, unfinished)
    unfinished.replace(output)


if __name__ == "__main__":
    main()
