"""Counts the pairs of the training text, which takes seconds."""

from pathlib import Path

import torch
from model import VOCABULARY_SIZE, get_model
from safetensors.torch import save_file

TEXT = Path("/data/restricted_mlm/training.u16")
MASK_TOKEN = 1
UNSEEN = 25.0
"""Pairs that each token is taken to have been in besides those counted, spread as single tokens are."""

tokens = torch.frombuffer(bytearray(TEXT.read_bytes()), dtype=torch.uint16).long()
alone = torch.bincount(tokens, minlength=VOCABULARY_SIZE).float() + 0.1
alone /= alone.sum()
pairs = torch.bincount(tokens[:-1] * VOCABULARY_SIZE + tokens[1:], minlength=VOCABULARY_SIZE**2)
pairs = pairs.view(VOCABULARY_SIZE, VOCABULARY_SIZE).float()


def gain(counts: torch.Tensor) -> torch.Tensor:
    """[given, token]: logarithm of how much likelier the token is than by chance."""
    likely = (counts + UNSEEN * alone) / (counts.sum(dim=1, keepdim=True) + UNSEEN)
    found = torch.log(likely / alone)
    found[MASK_TOKEN] = 0.0
    return found


print("1/2 counted", flush=True)
model = get_model()
model.load_state_dict({"after.weight": gain(pairs), "before.weight": gain(pairs.T), "alone": alone.log()})
save_file(model.state_dict(), "weights.safetensors")
print("2/2 saved")
