"""Rewrites an archive with other recorded paths, by torch's own writer: `shorten_paths.py IN OUT
OLD=NEW...`."""

import sys
from pathlib import Path

import torch


def shorten(source: Path, target: Path, replacements: list[tuple[str, str]]) -> None:
    """Copy an archive record by record; the sample input, a pickle, becomes an empty one."""
    reader = torch._C.PyTorchFileReader(str(source))
    writer = torch._C.PyTorchFileWriter(str(target))
    writer.set_min_version(6)
    for name in reader.get_all_records():
        if name in (".data/version", ".data/serialization_id", "byteorder"):
            continue
        content = reader.get_record(name)
        if name.endswith(".json"):
            for old, new in replacements:
                content = content.replace(old.encode(), new.encode())
        writer.write_record(name, content, len(content))
    writer.write_end_of_file()


if __name__ == "__main__":
    shorten(
        Path(sys.argv[1]),
        Path(sys.argv[2]),
        [tuple(item.split("=", 1)) for item in sys.argv[3:]],  # type: ignore[misc]
    )
