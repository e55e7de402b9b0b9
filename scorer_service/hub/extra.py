"""Libraries of the extra `hub`, which only a profile of published data needs."""

import importlib
from typing import Any


class HubFailed(Exception):
    """The hub, or what it has, cannot be used; the message says why and what would do."""


def library(name: str) -> Any:
    """A module of the extra.

    Raises:
        HubFailed: it is not installed.
    """
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise HubFailed(
            f"{error.name or name} is missing; it comes with an extra: pip install 'scorer-service[hub]'"
        ) from error
