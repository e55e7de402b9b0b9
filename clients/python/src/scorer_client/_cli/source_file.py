"""Reads a source from disk, as it is."""

from pathlib import Path

from scorer_client._cli.exit_status import UsageError


def read_source_text(path: Path) -> str:
    """The text of a file. Raises UsageError, which names the file."""
    try:
        # Not read_text(), which would turn \r\n into \n: the source is judged as it is.
        return path.read_bytes().decode()
    except UnicodeDecodeError as error:
        raise UsageError(
            f"{path} is not UTF-8: byte {error.start} cannot be decoded; save it as UTF-8"
        ) from None
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from None
