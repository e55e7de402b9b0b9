#!/usr/bin/env python3
"""Checks a model, here: python3 check.py [model.py] [--weights weights.safetensors]. Needs torch.

Says which operators are refused and where, and which tensors of the weights do not fit. With weights it also
measures the loss on the validation text as the service does on the hidden one: the two are near each other,
not equal.
"""

# mypy: disable-error-code="import-not-found"

import argparse
import math
import sys
import tempfile
import traceback
from pathlib import Path
from typing import Any

try:
    from judging import model_export, submission, task
    from judging.graph import (
        ArchiveError,
        ArchiveLimits,
        GraphRefused,
        ModelInterface,
        check_archive,
        open_archive,
    )
except ImportError as error:
    sys.exit(f"{sys.executable}: {error}. Take a Python that has torch, numpy and safetensors")

DATA = Path(__file__).resolve().parent / "data"


def main() -> int:
    """0 if the service would take the model."""
    parser = argparse.ArgumentParser(description="Checks a model on this machine.")
    parser.add_argument("file", nargs="?", type=Path, default=Path("model.py"), metavar="FILE")
    parser.add_argument("--weights", type=Path, help="safetensors to load into it")
    parser.add_argument("--windows", type=int, default=200, help="for the validation loss; 0: none")
    options = parser.parse_args()
    if options.weights is not None and options.weights.stat().st_size > task.WEIGHTS_LIMIT_BYTES:
        return refused(f"{options.weights} has more than {task.WEIGHTS_LIMIT_BYTES} bytes")
    with tempfile.TemporaryDirectory() as folder:
        return check(options, Path(folder) / "model.pt2")


def check(options: argparse.Namespace, archive_file: Path) -> int:
    """Export and judge as the service does."""
    try:
        model_export.export_file(
            str(options.file.resolve()),
            str(archive_file),
            sequence_length=task.SEQUENCE_LENGTH,
            batch_rows=task.BATCH_ROWS,
            weights=None if options.weights is None else str(options.weights),
        )
    except submission.Refusal as error:
        return refused(str(error))
    except Exception:
        traceback.print_exc()
        return refused(f"{options.file} cannot be exported")
    interface = ModelInterface(
        sequence_length=task.SEQUENCE_LENGTH,
        vocabulary=task.VOCABULARY_SIZE,
        batch_rows=task.BATCH_ROWS,
        memory_limit_bytes=task.MEMORY_LIMIT_BYTES,
        token_limit=task.TOKEN_LIMIT,
    )
    try:
        with open_archive(archive_file, ArchiveLimits(archive_bytes=task.ARCHIVE_LIMIT_BYTES)) as archive:
            graph = check_archive(archive, interface)
            print(f"all operators are allowed ({len(graph.steps)} steps)")
            if options.weights is not None and options.windows:
                report_loss(graph, archive, options.windows)
    except GraphRefused as broken:
        for refusal in broken.refusals:
            print(f"  {refusal}")
        return refused(f"{len(broken.refusals)} things break the rules")
    except ArchiveError as error:
        return refused(str(error))
    return 0


def report_loss(graph: Any, archive: Any, window_count: int) -> None:
    """Print the validation loss. Raises GraphRefused for weights that are out of range."""
    import torch
    from judging.evaluation import loss
    from judging.graph.execute import RunnableModel

    model = RunnableModel(graph, archive)
    content = bytearray((DATA / "validation.u16").read_bytes())
    windows = loss.cut_windows(torch.frombuffer(content, dtype=torch.uint16).long(), task.SEQUENCE_LENGTH)
    found = loss.masked_loss(
        model.run,
        windows[:window_count],
        mask_token=task.MASK_TOKEN,
        draw_count=1,
        vocabulary_size=task.VOCABULARY_SIZE,
        batch_size=task.BATCH_ROWS,
        report=lambda done, total: None,
    )
    raw = f"raw score {found.raw_score:.4f}" if math.isfinite(found.raw_score) else "too low for a raw score"
    print(
        f"validation loss {found.mean_nats:.4f} nats a masked token"
        f" (standard error {found.standard_error_nats:.4f}), {raw}"
    )


def refused(reason: str) -> int:
    """Say why, and the exit status for it."""
    print(f"refused: {reason}")
    return 1


if __name__ == "__main__":
    sys.exit(main())
