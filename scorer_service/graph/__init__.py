"""Models as data: reading an exported graph without trusting it, checking it against a table, and running it.

Only `execute`, `implementations` and `weights` need torch.
"""

from scorer_service.graph.archive import Archive, ArchiveLimits, open_archive, read_archive
from scorer_service.graph.check import check_archive
from scorer_service.graph.checked import CheckedGraph, ModelInterface
from scorer_service.graph.errors import ArchiveError, GraphRefused, ModelFailed, Refusal, SourceLine

__all__ = [
    "Archive",
    "ArchiveError",
    "ArchiveLimits",
    "CheckedGraph",
    "GraphRefused",
    "ModelFailed",
    "ModelInterface",
    "Refusal",
    "SourceLine",
    "check_archive",
    "open_archive",
    "read_archive",
]
