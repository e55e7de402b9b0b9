"""Lists that are answered in pages: what a request asks for. A token is the position that a page ends at."""

from scorer_service.api.errors import invalid_field

PAGE_LIMIT = 500
PAGE_DEFAULT = 100


def entry_limit(page_size: int) -> int:
    """How many entries a page may have. Raises ApiError."""
    if not 0 <= page_size <= PAGE_LIMIT:
        raise invalid_field("page_size", f"must be between 0 and {PAGE_LIMIT}, not {page_size}")
    return page_size or PAGE_DEFAULT


def position(page_token: str) -> int | None:
    """Where the page before ended; None for the first page. Raises ApiError."""
    if not page_token:
        return None
    if not (page_token.isascii() and page_token.isdigit() and len(page_token) <= 18):
        raise invalid_field("page_token", f"must come from next_page_token, {page_token[:80]!r} does not")
    return int(page_token)
