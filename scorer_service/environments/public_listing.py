"""What instructions say of the public folder: which texts are in it, and what a starter leaves out."""

from pathlib import Path

from scorer_service.environments import public_folder

_SPLITS = ("training", "validation")


def text_rows(public_dir: Path, boundary_token: int) -> str:
    """Rows of a table of files."""
    rows = [_row("u16", f"text as 16-bit little-endian tokens; documents begin with token {boundary_token}")]
    if (public_dir / f"{_SPLITS[0]}.txt").exists():
        rows.append(_row("txt", "the same as text, a document a line"))
    return "\n".join(rows)


def _row(suffix: str, what: str) -> str:
    return f"| {', '.join(f'`data/{split}.{suffix}`' for split in _SPLITS)} | {what} |"


def left_out(public_dir: Path, data_dir: str) -> str:
    """A paragraph, with an empty line before it; nothing where all is there."""
    names = public_folder.left_out(public_dir)
    if not names:
        return ""
    listed = ", ".join(f"`{name}` ({(public_dir / name).stat().st_size / 1e9:.2f} GB)" for name in names)
    return f"\nToo large for this folder: {listed}. Scripts that are sent in find them in `{data_dir}`.\n"
