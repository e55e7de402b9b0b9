"""How much of the hidden text models are judged on: all of it, or the windows at its beginning."""

from scorer_service.environments.interface import NotServing
from scorer_service.environments.settings import EnvironmentSettings

FEWEST = 2
"""Of one window there is no standard error."""


def window_limit(of_profile: int | None, settings: EnvironmentSettings) -> int | None:
    """Windows that are judged, with None for all: as the profile says, or fewer where the settings do.

    Raises NotServing for a number that gives no standard error.
    """
    wanted = settings.hidden_windows
    if wanted == 0:
        return of_profile
    if wanted < FEWEST:
        raise NotServing(
            f"a loss on {wanted} hidden window has no standard error: set hidden_windows to {FEWEST} or"
            " more, or to 0 for the whole text"
        )
    return wanted if of_profile is None else min(wanted, of_profile)


def limits(window_limit: int | None, window_length: int) -> list[tuple[str, str]]:
    """What a client is told of it; nothing where the whole text is judged."""
    if window_limit is None:
        return []
    return [("hidden text that is judged", f"the first {window_limit:,} windows of {window_length} tokens")]


def fingerprint(window_limit: int | None) -> str:
    """What is added to the fingerprint of a calibration: a part of a text has anchors of its own."""
    return "" if window_limit is None else f"; {window_limit} hidden windows"
