"""The contract of the scoring service; see `scorer.v1`."""
