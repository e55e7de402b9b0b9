"""Jobs, attempts and scores, and content-addressed artifacts. Used by `api` and `scheduling` only."""
