"""Repositories laid out as the Hugging Face hub has them, small enough for a test: GPT-2s and a text."""

import importlib
import json
import math
import random
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scorer_service.language.paper.data import Sizes, Sources
from scorer_service.language.paper.gpt2_checkpoint import PREFIX
from scorer_service.language.shapes import GptShape

BOUNDARY = "<|endoftext|>"
VOCABULARY = 300
SHAPE = GptShape(layer_count=3, width=16, head_count=4, context_length=32, vocabulary_size=VOCABULARY)
COMPANION_SHAPE = GptShape(
    layer_count=2, width=8, head_count=2, context_length=32, vocabulary_size=VOCABULARY
)
SIZES = Sizes(
    model_shape=SHAPE,
    companion_shape=COMPANION_SHAPE,
    boundary_token=VOCABULARY - 1,
    causal_window=32,
    hidden_causal_windows=20,
    masked_window=16,
    hidden_masked_windows=5 * 8,
    validation_tokens=900,
    training_tokens=20_000,
    held_out_share=1 / 8,
    documents_at_once=8,
    batches_between_saves=2,
)

_NAMES = ("Anna", "Bela", "Cleo", "Dario", "Elif", "Farid", "Gita", "Hugo", "Ines", "Jonas", "Kim", "Lena")
_VERBS = ("sold", "found", "painted", "counted", "lost", "carried", "mended", "weighed", "hid", "borrowed")
_OBJECTS = (
    "boats",
    "lamps",
    "maps",
    "stones",
    "bells",
    "chairs",
    "pears",
    "books",
    "kites",
    "clocks",
    "ropes",
)


def documents(count: int, seed: int = 0) -> list[str]:
    """Texts that share no 13 words in a row but by design."""
    source = random.Random(seed)

    def sentence() -> str:
        words = (
            source.choice(_NAMES),
            source.choice(_VERBS),
            source.randrange(10**6),
            source.choice(_OBJECTS),
        )
        return " ".join(map(str, words)) + "."

    return [" ".join(sentence() for _ in range(source.randrange(6, 18))) for _ in range(count)]


def write_text(folder: Path, *files: Sequence[str | None], column: str = "text") -> Path:
    """A data set of parquet files."""
    pyarrow, parquet = importlib.import_module("pyarrow"), importlib.import_module("pyarrow.parquet")
    place = folder / "plain_text"
    place.mkdir(parents=True, exist_ok=True)
    for number, texts in enumerate(files):
        table = pyarrow.table({column: pyarrow.array(texts, pyarrow.string())})
        path = place / f"train-{number:05d}-of-{len(files):05d}.parquet"
        parquet.write_table(table, path, row_group_size=10)
    return folder


def write_tokenizer(path: Path, texts: Sequence[str], vocabulary: int = VOCABULARY) -> None:
    """A byte-level BPE as GPT-2's: the special token is the last."""
    import tokenizers
    from tokenizers import decoders, models, pre_tokenizers, trainers

    tokenizer = tokenizers.Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary - 1,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    tokenizer.add_special_tokens([BOUNDARY])
    tokenizer.save(str(path))


def config(shape: GptShape) -> dict[str, Any]:
    """The members of config.json that a model of the hub has."""
    return {
        "activation_function": "gelu_new",
        "architectures": ["GPT2LMHeadModel"],
        "layer_norm_epsilon": 1e-05,
        "model_type": "gpt2",
        "n_ctx": shape.context_length,
        "n_embd": shape.width,
        "n_head": shape.head_count,
        "n_layer": shape.layer_count,
        "n_positions": shape.context_length,
        "vocab_size": shape.vocabulary_size,
    }


def checkpoint_tensors(shape: GptShape, prefix: str = "") -> dict[str, tuple[int, ...]]:
    """Names and shapes as in the hub's GPT-2, without its triangular masks."""
    width = shape.width
    tensors: dict[str, tuple[int, ...]] = {
        "wte.weight": (shape.vocabulary_size, width),
        "wpe.weight": (shape.context_length, width),
    }
    for layer in range(shape.layer_count):
        tensors |= {
            f"h.{layer}.ln_1.weight": (width,),
            f"h.{layer}.ln_1.bias": (width,),
            f"h.{layer}.attn.c_attn.weight": (width, 3 * width),
            f"h.{layer}.attn.c_attn.bias": (3 * width,),
            f"h.{layer}.attn.c_proj.weight": (width, width),
            f"h.{layer}.attn.c_proj.bias": (width,),
            f"h.{layer}.ln_2.weight": (width,),
            f"h.{layer}.ln_2.bias": (width,),
            f"h.{layer}.mlp.c_fc.weight": (width, 4 * width),
            f"h.{layer}.mlp.c_fc.bias": (4 * width,),
            f"h.{layer}.mlp.c_proj.weight": (4 * width, width),
            f"h.{layer}.mlp.c_proj.bias": (width,),
        }
    tensors |= {"ln_f.weight": (width,), "ln_f.bias": (width,)}
    return {prefix + name: size for name, size in tensors.items()}


@dataclass(frozen=True)
class Stored:
    """A tensor to be written."""

    dtype: str
    shape: tuple[int, ...]
    content: bytes


def write_tensors(path: Path, tensors: Mapping[str, Stored]) -> None:
    """A safetensors file."""
    header: dict[str, Any] = {"__metadata__": {"format": "pt"}}
    offset = 0
    for name, tensor in tensors.items():
        end = offset + len(tensor.content)
        header[name] = {"dtype": tensor.dtype, "shape": tensor.shape, "data_offsets": [offset, end]}
        offset = end
    encoded = json.dumps(header).encode()
    encoded += b" " * (-len(encoded) % 8)
    with path.open("wb") as file:
        file.write(len(encoded).to_bytes(8, "little") + encoded)
        file.writelines(tensor.content for tensor in tensors.values())


def checkpoint(
    shape: GptShape, *, seed: int = 0, prefix: str = "", masks: bool = True, dtype: str = "F32"
) -> dict[str, Stored]:
    """Random weights, of a size at which every part of the model shows in the logits."""
    source = random.Random(seed)
    tensors: dict[str, Stored] = {}
    for name, size in checkpoint_tensors(shape, prefix).items():
        spread = 0.5 if "ln_" in name or "wte" in name or "wpe" in name else 1.5 / math.sqrt(size[0])
        around = 1.0 if name.endswith("weight") and "ln_" in name else 0.0
        values = [source.gauss(around, spread) for _ in range(math.prod(size))]
        tensors[name] = Stored(dtype, size, packed(values, dtype))
    if masks:
        length = shape.context_length
        triangle = [float(column <= row) for row in range(length) for column in range(length)]
        for layer in range(shape.layer_count):
            name = f"{prefix}h.{layer}.attn.bias"
            tensors[name] = Stored("F32", (1, 1, length, length), packed(triangle, "F32"))
    return tensors


def packed(values: Sequence[float], dtype: str) -> bytes:
    """Bytes of a tensor."""
    if dtype == "BF16":
        wide = struct.pack(f"<{len(values)}f", *values)
        return bytes(wide[4 * index + half] for index in range(len(values)) for half in (2, 3))
    return struct.pack(f"<{len(values)}{'e' if dtype == 'F16' else 'f'}", *values)


def write_model(folder: Path, shape: GptShape, texts: Sequence[str], **of_checkpoint: Any) -> Path:
    """A repository of a model."""
    folder.mkdir(parents=True)
    (folder / "config.json").write_text(json.dumps(config(shape)))
    write_tensors(folder / "model.safetensors", checkpoint(shape, **of_checkpoint))
    write_tokenizer(folder / "tokenizer.json", texts)
    return folder


def write_hub(folder: Path, texts: Sequence[str] | None = None) -> Sources:
    """All three repositories as folders: one model with the prefix in its names, one without."""
    texts = documents(900) if texts is None else texts
    return Sources(
        model=write_model(folder / "xl", SHAPE, texts, seed=1, prefix=PREFIX),
        companion=write_model(folder / "small", COMPANION_SHAPE, texts, seed=2),
        text=write_text(
            folder / "text", *([*texts[start : start + 50], None] for start in range(0, len(texts), 50))
        ),
    )
