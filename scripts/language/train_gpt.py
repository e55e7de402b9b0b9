"""Trains the models of `fix_embedding` on the training split: `original` or `companion`.

Run with an interpreter that has torch, from the root of the repository. Muon takes the matrices of the
blocks, Adam embeddings, norms and biases: at this size and budget that was far ahead of Adam alone.
"""

import argparse
import math
import sys
import time
from pathlib import Path

import torch
from safetensors.torch import save_file
from torch import Tensor
from torch.nn import functional
from torch.nn.attention import SDPBackend, sdpa_kernel

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from scorer_service.language import shapes
from scorer_service.language.model import Gpt

DATA = Path(__file__).parents[2] / "scorer_service/language/data"
SHAPES = {"original": shapes.ORIGINAL, "companion": shapes.COMPANION}


def main() -> None:
    """Train and save the model as fp16."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("model", choices=SHAPES)
    options.add_argument("output", type=Path)
    options.add_argument("--steps", type=int, default=4500, help="ends here if the time allows")
    options.add_argument("--budget-s", type=float, default=900.0, help="wall clock, in seconds")
    options.add_argument("--batch-size", type=int, default=8, help="windows in a step")
    options.add_argument("--muon-rate", type=float, default=0.02)
    options.add_argument("--adam-rate", type=float, default=0.008)
    options.add_argument("--seed", type=int, default=1)
    given = options.parse_args()
    torch.manual_seed(given.seed)
    model = Gpt(SHAPES[given.model])
    tokens = load("training")
    initialise(model, tokens)
    train(model, tokens, given)
    save_file(
        {name: tensor.detach().half().contiguous() for name, tensor in model.state_dict().items()},
        given.output,
    )
    for tensor in model.state_dict().values():
        tensor.copy_(tensor.half())
    loss, error = evaluate(model, load("validation"))
    print(f"validation {loss:.4f} +- {error:.4f} nats a token, in fp16", flush=True)


def load(split: str) -> Tensor:
    """The tokens of a split."""
    return torch.frombuffer(bytearray((DATA / f"{split}.u16").read_bytes()), dtype=torch.uint16).long()


def initialise(model: Gpt, tokens: Tensor) -> None:
    """GPT-2's initialisation, with an embedding that knows frequencies and neighbours.

    One column of the embedding is the logarithm of the token's frequency, which the bias of the last norm
    weighs: the first loss is that of unigrams. The others are singular vectors of how much oftener than by
    chance tokens stand beside each other. The last matrix of each branch is zero.
    """
    width, size = model.shape.width, model.shape.vocabulary_size
    for name, parameter in model.named_parameters():
        if name.endswith(("attention_out.weight", "mlp_out.weight")):
            torch.nn.init.zeros_(parameter)
        elif "embedding" in name:
            torch.nn.init.normal_(parameter, std=0.02)
        elif parameter.ndim == 2:
            torch.nn.init.normal_(parameter, std=parameter.shape[1] ** -0.5)
        elif name.endswith("bias"):
            torch.nn.init.zeros_(parameter)
    counts = torch.bincount(tokens, minlength=size) + 0.5
    pairs = torch.bincount(tokens[:-1] * size + tokens[1:], minlength=size * size).view(size, size)
    expected = counts[:, None] * counts[None, :] / counts.sum()
    association = torch.log((pairs + 1) / (expected + 1)).clamp(min=0)
    both = torch.cat([association, association.T], dim=1)
    left, strength, _ = torch.svd_lowrank(both, q=width - 1, niter=3)
    company = left * strength.sqrt()
    frequency = torch.log(counts / counts.sum())
    with torch.no_grad():
        model.token_embedding.weight[:, 0] = 0.1 * frequency
        model.token_embedding.weight[:, 1:] = company / company.std() * 0.08
        model.final_norm.bias[0] = 10.0
        model.final_norm.weight.fill_(0.05)
        model.final_norm.weight[0] = 0.0


def train(model: Gpt, tokens: Tensor, given: argparse.Namespace) -> None:
    """Steps until their number or the time is spent; the rates fall to zero by whichever ends first."""
    matrices: list[Tensor] = []
    others: list[Tensor] = []
    for name, parameter in model.named_parameters():
        (matrices if name.startswith("blocks") and parameter.ndim == 2 else others).append(parameter)
    optimizers: list[torch.optim.Optimizer] = [
        torch.optim.Muon(matrices, lr=given.muon_rate, weight_decay=0.01, momentum=0.95, ns_steps=4),
        torch.optim.Adam(others, lr=given.adam_rate, betas=(0.9, 0.98), fused=True),
    ]
    rates = [given.muon_rate, given.adam_rate]
    length = model.shape.context_length
    start, step, smooth = time.monotonic(), 0, math.nan
    while (spent := max(step / given.steps, (time.monotonic() - start) / given.budget_s)) < 1:
        share = min(1.0, (step + 1) / 30) * min(1.0, (1 - spent) / 0.6)
        for optimizer, rate in zip(optimizers, rates, strict=True):
            optimizer.param_groups[0]["lr"] = rate * share
        starts = torch.randint(0, len(tokens) - length - 1, (given.batch_size,))
        window = tokens[starts[:, None] + torch.arange(length + 1)]
        # Plain attention: at this length its backward pass takes a third of the fused one's time on a CPU.
        with torch.autocast("cpu", torch.bfloat16), sdpa_kernel(SDPBackend.MATH):
            logits = model(window[:, :-1])
        loss = functional.cross_entropy(logits.flatten(0, 1), window[:, 1:].flatten())
        loss.backward()
        for optimizer in optimizers:
            optimizer.step()
            optimizer.zero_grad()
        smooth = loss.item() if math.isnan(smooth) else 0.98 * smooth + 0.02 * loss.item()
        if step % 100 == 0:
            print(f"{time.monotonic() - start:.0f} s ({time.process_time():.0f} CPU)", end="  ")
            print(f"step {step}  {smooth:.4f}", flush=True)
        step += 1
    print(f"{step} steps in {time.process_time():.0f} s of CPU", flush=True)


@torch.inference_mode()  # type: ignore[untyped-decorator]
def evaluate(model: Gpt, tokens: Tensor) -> tuple[float, float]:
    """Mean loss of disjoint windows and its standard error over them, in nats a predicted token."""
    length = model.shape.context_length
    windows = tokens[: len(tokens) // length * length].view(-1, length)
    losses = []
    for batch in windows.split(32):
        chances = functional.log_softmax(model(batch[:, :-1]).double(), dim=-1)
        losses.append(-chances.gather(2, batch[:, 1:, None]).squeeze(2).mean(dim=1))
    each = torch.cat(losses)
    return float(each.mean()), float(each.std() / math.sqrt(len(each)))


if __name__ == "__main__":
    main()
