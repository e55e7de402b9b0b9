#!/usr/bin/env python3
"""Checks weights, here: python3 check.py [repaired.safetensors]. Needs nothing for names, shapes and dtypes.

With torch it also looks for values that are not finite, and measures the loss on the validation text as the
service does on the hidden one. The two are near each other, not equal.
"""

# mypy: disable-error-code="import-not-found"

import argparse
import math
import os
import sys
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).resolve().parent / "data"))

import shapes
import tensors_file

DATA = Path(shapes.__file__).parent
BATCH_TOKENS = 2048
TABLE = shapes.gpt_tensors(shapes.ORIGINAL)


def main() -> int:
    """0 if the service would take the file."""
    parser = argparse.ArgumentParser(description="Checks weights on this machine.")
    parser.add_argument("file", nargs="?", type=Path, default=Path("repaired.safetensors"), metavar="FILE")
    parser.add_argument("--no-loss", action="store_true", help="check names, shapes and dtypes alone")
    options = parser.parse_args()
    try:
        descriptor = tensors_file.open_regular(options.file)
        stored = tensors_file.read_header(descriptor, TABLE)
    except OSError as error:
        return refused(f"{options.file} cannot be read: {error.strerror}")
    except tensors_file.WeightsRefused as refusal:
        for tensor in refusal.tensors:
            print(f"  {tensor.name}: {tensor.reason}")
        return refused(str(refusal))
    print(f"all {len(stored)} tensors have the right names, shapes and dtypes")
    if options.no_loss:
        return 0
    try:
        import torch
    except ImportError:
        print("torch is not installed here, so the loss is not measured and values are not looked at")
        return 0
    tensors = read(torch, descriptor, stored)
    os.close(descriptor)
    broken = [name for name, tensor in tensors.items() if not torch.isfinite(tensor).all()]
    if broken:
        return refused(f"not finite: {', '.join(broken)}")
    report_loss(torch, tensors)
    return 0


def read(torch: Any, descriptor: int, stored: Any) -> dict[str, Any]:
    """The tensors in float32."""
    dtypes = {"F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16}
    return {
        name: torch.frombuffer(tensors_file.read_tensor(descriptor, tensor), dtype=dtypes[tensor.dtype])
        .float()
        .view(tensor.shape)
        for name, tensor in stored.items()
    }


def report_loss(torch: Any, tensors: dict[str, Any]) -> None:
    """Print the validation loss."""
    import model

    gpt = model.from_tensors(tensors, shapes.ORIGINAL)
    length = shapes.ORIGINAL.context_length
    text = torch.frombuffer(bytearray((DATA / "validation.u16").read_bytes()), dtype=torch.uint16).long()
    windows = text[: len(text) // length * length].view(-1, length)
    means = []
    with torch.inference_mode():
        for batch in windows.split(max(1, BATCH_TOKENS // length)):
            chances = gpt(batch[:, :-1]).double().log_softmax(dim=-1)
            means.append(-chances.gather(2, batch[:, 1:, None]).squeeze(2).mean(dim=1))
    each = torch.cat(means)
    loss, error = float(each.mean()), float(each.std()) / math.sqrt(len(each))
    raw = f"raw score {math.log(loss - 1.5):.4f}" if loss > 1.5 else "too low for a raw score"
    print(f"validation loss {loss:.4f} nats a token (standard error {error:.4f}), {raw}")


def refused(reason: str) -> int:
    """Say why, and the exit status for it."""
    print(f"refused: {reason}")
    return 1


if __name__ == "__main__":
    sys.exit(main())
