"""A table of a toolchain file, from which every key must be taken."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

_KINDS: Mapping[type, str] = {
    str: "a string",
    int: "a whole number",
    float: "a number",
    list: "a list of strings",
    dict: "a table of strings",
}


class Malformed(Exception):
    """A key of the file is missing, unknown or wrong; the message names it."""


class Table:
    """A TOML table from which every key must be taken."""

    def __init__(self, content: dict[str, Any], path: str) -> None:
        self._content = dict(content)
        self._path = path

    def take(self, key: str, kind: type, default: Any = None) -> Any:
        """The value of a key, of a kind. Raises Malformed where it is missing without a default."""
        name = f"{self._path}{key}"
        value = self._content.pop(key, default)
        if value is None:
            raise Malformed(f"{name} is missing")
        if kind is float and isinstance(value, int) and not isinstance(value, bool):
            value = float(value)
        items = value if kind is list else value.values() if isinstance(value, dict) else ()
        fits = isinstance(value, kind) and not isinstance(value, bool)
        if not fits or (kind in (list, dict) and not all(isinstance(item, str) for item in items)):
            raise Malformed(f"{name} must be {_KINDS[kind]}, not {value!r}")
        if kind in (int, float) and value <= 0:
            raise Malformed(f"{name} must be above 0, not {value!r}")
        return value

    def optional(self, **kinds: type) -> dict[str, Any]:
        """Those of the keys that are there."""
        return {key: self.take(key, kind) for key, kind in kinds.items() if key in self._content}

    def table(self, key: str) -> "Table":
        """A table that must be there."""
        value = self._content.pop(key, None)
        if not isinstance(value, dict):
            raise Malformed(f"the table [{self._path}{key}] is missing")
        return Table(value, f"{self._path}{key}.")

    def tables(self) -> Iterator[tuple[str, "Table"]]:
        """Every table that is left, with its name."""
        for key in list(self._content):
            yield key, self.table(key)

    def mounts(self) -> tuple[dict[str, str], dict[str, str]]:
        """The needed and the optional mounts: absolute path inside -> path of the host, with placeholders."""
        both = self.take("mounts", dict, {}), self.take("optional_mounts", dict, {})
        for inside in (*both[0], *both[1]):
            if not inside.startswith("/") or ".." in Path(inside).parts:
                raise Malformed(f"{self._path}mounts: {inside!r} is not an absolute path")
        return both

    def environments(self, key: str) -> list[dict[str, str]]:
        """A list of tables of strings."""
        value = self._content.pop(key, [])
        if not isinstance(value, list):
            raise Malformed(f"{self._path}{key} must be a list of tables")
        return [Table({"item": item}, f"{self._path}{key}.").take("item", dict) for item in value]

    def end(self) -> None:
        """Raises Malformed where keys are left, which nobody knows."""
        if self._content:
            unknown = ", ".join(sorted(f"{self._path}{key}" for key in self._content))
            raise Malformed(f"unknown key {unknown}; the file for Rust describes every key")


def host_paths(
    needed: Mapping[str, str], optional: Mapping[str, str], values: Mapping[str, str]
) -> dict[str, str]:
    """Mounts with `{placeholders}` filled in and symlinks resolved. Raises Malformed for a needed one that is
    not on this machine."""
    mounts = {}
    for template_inside, template_outside in [*needed.items(), *optional.items()]:
        inside, outside = template_inside, template_outside
        for name, value in values.items():
            inside, outside = (text.replace(f"{{{name}}}", value) for text in (inside, outside))
        if Path(outside).exists():
            mounts[inside] = str(Path(outside).resolve())
        elif template_inside in needed:
            raise Malformed(f"needs {outside}, which is not on this machine; install it or change the mount")
    return mounts
