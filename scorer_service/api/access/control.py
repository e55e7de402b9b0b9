"""How a server is closed off: who is asked for tokens, and what its port speaks."""

from dataclasses import dataclass

from scorer_service.api.access.certificates import RotatedCredentials
from scorer_service.store.interface import ArtifactOwners
from scorer_service.store.tokens import TokenFile


@dataclass(frozen=True)
class AccessControl:
    """What the API server is told of access."""

    artifact_owners: ArtifactOwners
    tokens: TokenFile | None
    """None: the server is open to whoever reaches its port."""
    tls: RotatedCredentials | None = None
    """None: plaintext."""
