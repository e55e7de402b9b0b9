"""Operations that tell whether a worker answers."""

from typing import Any

from scorer_service.worker.context import Context


def echo(context: Context, arguments: dict[str, Any], descriptors: list[int]) -> dict[str, Any]:
    """Answer what was said, with the number of descriptors that came."""
    context.report(1, 1, "echoes")
    return {"arguments": arguments, "descriptors": len(descriptors)}
