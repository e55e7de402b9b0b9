"""Judging by graph against the module itself: runs in the interpreter that has torch, started by models.py.

Arguments: root of the package, folder that holds `runner`, archive to write, file of the model, its weights,
tokens (16 bits each), mask token, and the members of ModelInterface as JSON. Prints JSON: seconds of each
turn by graph and by module, tokens in a turn, bytes of the weights, and the largest difference of a logit.

The two take turns of a few batches, since the speed of a machine changes within seconds, and who comes first
changes with each pair. Both run as the worker does: one thread, inference mode, the worker's own loss.
"""

import json
import sys
import time
from pathlib import Path

import torch

sys.path.extend(sys.argv[1:3])

from runner import model_export

from scorer_service.evaluation import loss
from scorer_service.graph import ModelInterface, check_archive, open_archive
from scorer_service.graph.execute import RunnableModel

ARCHIVE, MODEL, WEIGHTS, TOKENS, MASK_TOKEN, INTERFACE = sys.argv[3:]
PAIRS = 40
BATCHES_A_TURN = 2
WARM_UP_PAIRS = 2
DEADLINE_S = 3600.0
"""The worker gives one too, and it is looked at between steps."""


def main() -> None:
    """Measure, and print."""
    torch.set_num_threads(1)
    interface = ModelInterface(**json.loads(INTERFACE))
    rows, length = interface.batch_rows, interface.sequence_length
    model_export.export_file(MODEL, ARCHIVE, sequence_length=length, batch_rows=rows, weights=WEIGHTS)
    with open_archive(Path(ARCHIVE)) as archive:
        by_graph = RunnableModel(check_archive(archive, interface), archive)
    module = model_export.make_model(MODEL)
    model_export.load_weights(module, WEIGHTS)
    module.eval()
    deadline_s = time.monotonic() + DEADLINE_S
    models: dict[str, loss.Model] = {
        "graph": lambda tokens: by_graph.run(tokens, deadline_s=deadline_s),
        "module": module,
    }
    text = torch.frombuffer(bytearray(Path(TOKENS).read_bytes()), dtype=torch.uint16).to(torch.int64)
    windows = loss.cut_windows(text, length)[: rows * BATCHES_A_TURN]
    seconds: dict[str, list[float]] = {name: [] for name in models}
    with torch.inference_mode():
        first = windows[:rows]
        difference = float((models["graph"](first) - models["module"](first)).abs().max())
        for pair in range(WARM_UP_PAIRS + PAIRS):
            for name in sorted(models, reverse=bool(pair % 2)):
                seconds[name].append(_turn_s(models[name], windows, interface))
    answer = {
        "seconds": {name: turns[WARM_UP_PAIRS:] for name, turns in seconds.items()},
        "tokens": windows.numel(),
        "weight_bytes": sum(
            weight.numel() * weight.element_size() for weight in module.state_dict().values()
        ),
        "largest_difference": difference,
    }
    print(json.dumps(answer))


def _turn_s(model: loss.Model, windows: torch.Tensor, interface: ModelInterface) -> float:
    began = time.perf_counter()
    loss.masked_loss(
        model,
        windows,
        mask_token=int(MASK_TOKEN),
        draw_count=1,
        vocabulary_size=interface.vocabulary,
        batch_size=interface.batch_rows,
        report=lambda done, total: None,
    )
    return time.perf_counter() - began


if __name__ == "__main__":
    main()
