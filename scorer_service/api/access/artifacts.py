"""Which artifacts a caller may read and submit: those whose content it has shown to have."""

import asyncio
from collections.abc import Sequence

from scorer_service.api.access.caller import Caller
from scorer_service.store.artifacts import ArtifactFolder, ArtifactKey
from scorer_service.store.interface import ArtifactOwners
from scorer_service.store.tokens import secret_sha256


class ReachableArtifacts:
    """The artifact folder as one caller sees it at a time.

    Where the server is open, to know a digest is the right to read it. With tokens it is not: a digest may be
    told, guessed from a known file, or seen in a log. An artifact that others uploaded is missing for who has
    not uploaded it too.
    """

    def __init__(self, folder: ArtifactFolder, owners: ArtifactOwners) -> None:
        self.folder = folder
        self._owners = owners

    async def present(
        self, keys: Sequence[ArtifactKey], caller: Caller, evaluator_key: str | None
    ) -> Sequence[bool]:
        """For each artifact, whether it is here for the caller."""
        here = await asyncio.to_thread(lambda: [self.folder.has(key) for key in keys])
        if caller.is_anybody or not any(here):
            return here
        reachable = await self._owners.reachable(
            caller.owner,
            None if evaluator_key is None else secret_sha256(evaluator_key),
            [key.sha256 for key in keys],
        )
        return [found and key.sha256 in reachable for key, found in zip(keys, here, strict=True)]

    async def claim(self, key: ArtifactKey, caller: Caller) -> None:
        """The caller has sent the whole content."""
        if not caller.is_anybody:
            await self._owners.add(caller.owner, key.sha256)

    def uploader(self, caller: Caller) -> str:
        """Names whose unfinished uploads are gone on with: an upload of others shows nothing."""
        if caller.is_anybody:
            return ""
        return caller.owner.attempt_id or caller.owner.token_id
