"""Prints, as JSON, what the loss comes to for known models. Run by an interpreter with torch."""

# mypy: disable-error-code="import-not-found"

import json
import math
import resource
import sys
from collections.abc import Callable
from typing import Any

sys.path.append(sys.argv[1])

import torch

from scorer_service.evaluation import loss

VOCABULARY = 11
TOKENS = torch.randint(2, VOCABULARY, (4000,), generator=torch.Generator().manual_seed(3))
WINDOWS = loss.cut_windows(TOKENS, 20)
MASK = 1
Model = Callable[[torch.Tensor], torch.Tensor]


def uniform(tokens: torch.Tensor) -> torch.Tensor:
    return torch.zeros(*tokens.shape, VOCABULARY)


def noisy(tokens: torch.Tensor) -> torch.Tensor:
    """Logits that depend on the token alone."""
    table = torch.randn(VOCABULARY, VOCABULARY, generator=torch.Generator().manual_seed(5))
    return table[tokens]


def causal(model: Model, windows: torch.Tensor = WINDOWS, batch_size: int = 7) -> Any:
    return loss.causal_loss(
        model, windows, vocabulary_size=VOCABULARY, batch_size=batch_size, report=lambda done, total: None
    )


def masked(model: Model, draw_count: int = 3, batch_size: int = 7) -> Any:
    return loss.masked_loss(
        model,
        WINDOWS,
        mask_token=MASK,
        draw_count=draw_count,
        vocabulary_size=VOCABULARY,
        batch_size=batch_size,
        report=lambda done, total: None,
    )


def refusal(action: Callable[[], Any]) -> str:
    try:
        action()
    except loss.LogitsRefused as error:
        return f"{type(error).__name__}: {error}"
    return "accepted"


def returning(make: Callable[[torch.Tensor], Any]) -> Model:
    return lambda tokens: make(uniform(tokens))


def spoiled(value: float) -> Model:
    """One logit of one row, of a token that is never the target's."""

    def model(tokens: torch.Tensor) -> torch.Tensor:
        logits = uniform(tokens)
        logits[-1, -1, 0] = value
        return logits

    return model


def plain_mean() -> float:
    logits = noisy(WINDOWS[:, :-1]).double()
    return float(torch.nn.functional.cross_entropy(logits.flatten(0, 1), WINDOWS[:, 1:].flatten()))


def mask_facts() -> dict[str, Any]:
    first = list(loss.draw_masks(500, 128, 6))
    second = list(loss.draw_masks(500, 128, 6))
    sizes = torch.stack([mask.sum(dim=1) for mask in first])
    together = torch.stack(first).sum(dim=0)
    places = torch.stack(first).float().mean(dim=(0, 1))
    return {
        "disjoint": bool((together <= 1).all()),
        "sizes": sorted(set(sizes.flatten().tolist())),
        "share": float(torch.stack(first).float().mean()),
        "least_share_at_a_place": float(places.min()),
        "most_share_at_a_place": float(places.max()),
        "same_again": bool(torch.equal(torch.stack(first), torch.stack(second))),
        "same_for_two_windows": bool(torch.equal(first[0][0], first[0][1])),
    }


def seen_by_the_masked_model() -> dict[str, Any]:
    """Whether each input is its window with masked tokens replaced, and nothing else."""
    inputs: list[torch.Tensor] = []

    def model(tokens: torch.Tensor) -> torch.Tensor:
        inputs.append(tokens.clone())
        return uniform(tokens)

    found = masked(model, draw_count=2, batch_size=len(WINDOWS))
    replaced = torch.stack([tokens == MASK for tokens in inputs])
    kept = torch.stack([(tokens == WINDOWS) | (tokens == MASK) for tokens in inputs])
    return {
        "only_masked_differ": bool(kept.all()),
        "never_twice": bool((replaced.sum(dim=0) <= 1).all()),
        "token_count_is_that_of_the_masks": found.token_count == int(replaced.sum()),
    }


def peak_growth_bytes() -> dict[str, int]:
    """How far the loss on one batch of 64 MB of logits raises the peak of memory beyond the batch."""
    vocabulary, length, rows = 4096, 128, 32
    logits = torch.full((rows, length - 1, vocabulary), 0.5)
    windows = torch.zeros(rows, length, dtype=torch.int64)
    arguments: dict[str, Any] = {"vocabulary_size": vocabulary, "batch_size": rows}
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    loss.causal_loss(lambda tokens: logits, windows, report=lambda done, total: None, **arguments)
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {"growth": (after - before) * 1024, "batch": logits.numel() * 4}


def main() -> None:
    torch.set_num_threads(1)
    seen: list[tuple[int, int]] = []
    causal(noisy)  # what torch loads at its first use
    memory = peak_growth_bytes()
    uniform_loss, noisy_loss = causal(uniform), causal(noisy)
    loss.causal_loss(
        uniform,
        WINDOWS,
        vocabulary_size=VOCABULARY,
        batch_size=64,
        report=lambda done, total: seen.append((done, total)),
    )
    facts = {
        "memory": memory,
        "uniform": vars(uniform_loss),
        "uniform_nats": math.log(VOCABULARY),
        "noisy": vars(noisy_loss),
        "plain_mean": plain_mean(),
        "other_batch_size": vars(causal(noisy, batch_size=200)),
        "half": vars(causal(lambda tokens: noisy(tokens).half())),
        "large_logits": vars(causal(lambda tokens: noisy(tokens) * 1e30)),
        "constant_added": vars(causal(lambda tokens: noisy(tokens) + 1000.0)),
        "window_count": len(WINDOWS),
        "reports": seen,
        "masked_uniform": vars(masked(uniform)),
        "masks": mask_facts(),
        "masked_inputs": seen_by_the_masked_model(),
        "refused": {
            "nan": refusal(lambda: causal(spoiled(math.nan))),
            "infinite": refusal(lambda: causal(spoiled(math.inf))),
            "minus_infinite": refusal(lambda: causal(spoiled(-math.inf))),
            "masked_infinite": refusal(lambda: masked(returning(lambda logits: logits / 0))),
            "beyond_float32": refusal(lambda: causal(returning(lambda logits: logits.double() + 1e200))),
            "probabilities_per_window": refusal(lambda: causal(returning(lambda logits: logits[:, 0]))),
            "too_few_tokens": refusal(lambda: causal(returning(lambda logits: logits[..., :-1]))),
            "integers": refusal(lambda: causal(returning(lambda logits: logits.long()))),
            "complex": refusal(lambda: causal(returning(lambda logits: logits.cfloat()))),
            "a_number": refusal(lambda: causal(lambda tokens: 0.0)),
        },
    }
    print(json.dumps(facts))


main()
