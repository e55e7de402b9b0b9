"""What may come out of judging a model as data: a checked graph, or one of these exceptions."""

from collections.abc import Iterable
from dataclasses import dataclass


class ArchiveError(ValueError):
    """The file is no archive that `torch.export.save` writes, is damaged, or is over a limit."""


@dataclass(frozen=True)
class SourceLine:
    """Where in the model's own code a node of the graph comes from, as the exporter recorded it."""

    file: str
    line: int
    function: str = ""
    text: str = ""
    """The source line itself, where it was recorded."""

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True)
class Refusal:
    """One thing in a model that the rules refuse."""

    operator: str
    """The overload's name, such as `aten.div.Tensor`, or the part of the archive that is meant."""
    reason: str
    source: SourceLine | None = None

    def __str__(self) -> str:
        where = f"{self.source}: " if self.source else ""
        quoted = f"\n    {self.source.text}" if self.source and self.source.text else ""
        return f"{where}{self.operator}: {self.reason}{quoted}"


class GraphRefused(ValueError):
    """The graph breaks the rules. `refusals` has every one of them, in the order of the graph."""

    def __init__(self, refusals: Iterable[Refusal]) -> None:
        self.refusals = tuple(refusals)
        super().__init__("\n".join(str(refusal) for refusal in self.refusals))


class ModelFailed(RuntimeError):
    """A checked graph could not be run: its numbers are out of range, or an operator failed on the device."""
