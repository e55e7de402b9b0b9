"""A decorator that is like what it wraps, but for what it overrides."""

from typing import Any


class Forwarding:
    """Has every attribute of `inner`.

    Calls that `inner` makes of itself do not come through the decorator.
    """

    def __init__(self, inner: Any) -> None:
        self.inner = inner

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)
